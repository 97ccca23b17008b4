"""Tables and figures. Reads records and published tables only, so that editing a plot never measures anything again."""
