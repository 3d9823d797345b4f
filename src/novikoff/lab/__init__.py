"""The lab: a page where a run is stepped through, update by update, and the server behind it.

The page's whole state is its address, and the server is a function of it (`page_data`): nothing is
kept between two questions but answers, so that tabs cannot see each other and a link restores
everything.
"""
