# SPDX-License-Identifier: BSD-3-Clause
"""Draws quasistatic_growth.svg from the file that `./run bench quasistatic` writes: time for all solutions, and of the
fast algorithm alone, over the number of contacts. usage: quasistatic_growth.py out/bench/quasistatic.csv"""
import pathlib
import sys

from log_chart import LogChart

LINES = [("all solutions, worst of the problems", 2, "#e45756", "4 3"), ("all solutions, median", 1, "#4c78a8", ""),
         ("fast algorithm alone, median", 4, "#54a24b", "")]

rows = [line.split(",") for line in pathlib.Path(sys.argv[1]).read_text().splitlines() if line.startswith("growth,")]
table = [(int(r[1]), float(r[2]), float(r[3]), float(r[4]), float(r[5])) for r in rows]
contacts = [row[0] for row in table]
chart = LogChart(560, 360, (contacts[0], contacts[-1]), [row[k] for row in table for _, k, _, _ in LINES])
chart.draw_y_axis(lambda power: f"{10.0 ** power:g} s" if power > -3 else f"{10.0 ** (power + 3):g} ms")
chart.draw_x_axis(contacts, str, "contacts n_c")
# A slope to compare with, through the last median.
last, first = table[-1], contacts[len(contacts) // 2]
square = last[1] * (first / last[0]) ** 2
chart.draw_line([(first, square), (last[0], last[1])], "#999", "2 4", 1)
chart.text(chart.x(first) + 6, chart.y(square) + 16, "n_c²", colour="#777")
for name, column, colour, dash in LINES:
    points = [(row[0], row[column]) for row in table]
    chart.draw_line(points, colour, dash)
    chart.draw_dots(points, colour)
    chart.add_legend(name, colour, dash)
chart.write(__file__)
