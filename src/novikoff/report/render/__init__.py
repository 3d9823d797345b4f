"""Draw figures and pages: Bokeh and HTML for browsers, Matplotlib for files and print."""
