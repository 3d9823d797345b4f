"""The search for the point of smallest norm in the convex hull, and for the faces beyond it."""
