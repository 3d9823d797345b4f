"""Statistical models as cones: a file for each family turns a table into rows of its cone.

An unpenalised fit has a maximum unless some direction d never lowers the likelihood and raises it
somewhere. In each family here those are the d with z . d >= 0 for certain rows z, and = 0 for held
ones, some z . d being above 0: the question that `verdict` decides of signed rows.
"""
