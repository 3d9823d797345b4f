"""How many examples a property is tried on: few for a person who waits, more where time is."""

from hypothesis import settings

WAITING = "novikoff"  # the profile for a person


def scaled(few: int) -> int:
    """So many for a person, and where there is time at least as many as the profile says."""
    profile = settings.get_current_profile_name()
    return few if profile == WAITING else max(few, settings.default.max_examples)


def examples(few: int) -> settings:
    """Settings for a property that a person's run tries on so many examples."""
    return settings(max_examples=scaled(few))
