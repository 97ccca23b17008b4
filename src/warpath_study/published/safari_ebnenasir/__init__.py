"""Safari and Ebnenasir: label correcting that follows a distance several steps."""
