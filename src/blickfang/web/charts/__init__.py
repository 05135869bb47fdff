"""Plain figures: values in, SVG and PDF out; no drawing library, no script.

A chart is a function from values to a `Figure`; `svg(figure)` gives the string to put into a page
(`alone=True`: a file), `pdf(figure)` (in `charts.draw_pdf`) the bytes of a page:

    lines([Series("focused", x=[1, 10, 100], y=[900, 300, 80])], title="Perplexity",
          x="package", y="perplexity", log_x=True, log_y=True)
    bars(["a.test", "b.test"], [Group("pages", [12, 7])], title="Hosts", x="pages")
    funnel([("named", 900, ""), ("fetched", 700, "200 too small")], title="Images")
    histogram([0, 1, 2, 3], {"all": [5, 9, 2]}, title="Sizes", x="MB", y="images")

`Series(name, x, y, low, high)` has a band between low and high; y may hold None, a gap.
`Group(name, values, spread)` is one bar a label, beside the others or `stacked`, with a whisker;
None is a dash. `histogram` draws one name as bars, several as outlines, or `stacked`. In
`charts.curves` also `scatter`, in `charts.columns` also `sparkline(values, title=…)`. `show=`,
`show_x=`, `show_y=` write the numbers (`"{:.0%}".format`). Colours, dashes and marks follow the
order of the series; strings may be anything, they are shortened and escaped. A page that follows
the reader's dark mode includes `charts.draw_svg.style_sheet()` once.
"""

from blickfang.web.charts.draw_svg import svg
from blickfang.web.charts.histograms import histogram
from blickfang.web.charts.level_bars import BarGroup, bars, funnel
from blickfang.web.charts.line_charts import Series, lines

__all__ = ["BarGroup", "Series", "bars", "funnel", "histogram", "lines", "svg"]
