"""For tests of hypothesis whose examples take long: a third of what the profile draws (conftest.py)."""

from hypothesis import settings

fewer = settings(max_examples=settings.default.max_examples // 3)
