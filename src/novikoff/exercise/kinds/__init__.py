"""The built-in kinds of exercise, one file for each: see `novikoff.exercise.kind`."""
