# SPDX-License-Identifier: BSD-3-Clause
"""Draws grasp_precision.svg from the file that `./run bench grasp` writes: CPU time per simulated second over the error
of the box, every setting a dot, the cheapest of each contender joined. usage: grasp_precision.py out/bench/grasp.csv"""
import csv
import math
import sys

from log_chart import LogChart

COLOURS = ["#d62728", "#4c78a8", "#54a24b", "#b279a2"]
LARGEST = 1e-2  # m: what is farther off than this does not carry the box
SMALLEST = 1e-13  # m: converged motions are not known better


def find_cheapest(points):
    """Those that nothing cheaper is as precise as."""
    out = []
    for error, seconds in sorted(points, key=lambda point: (point[1], point[0])):
        if not out or error < out[-1][0]:
            out.append((error, seconds))
    return out


with open(sys.argv[1]) as file:
    rows = [(row["contender"], float(row["error_m"]), 1e3 * float(row["cpu_s_per_s"])) for row in csv.DictReader(file)]
figures = {}
for contender, error, milliseconds in rows:
    if SMALLEST <= error <= LARGEST:
        figures.setdefault(contender, []).append((error, milliseconds))
errors = [error for points in figures.values() for error, _ in points]
powers = range(math.floor(math.log10(min(errors))), math.ceil(math.log10(max(errors))) + 1)
chart = LogChart(640, 420, (10.0 ** powers[-1], 10.0 ** powers[0]), [ms for points in figures.values() for _, ms in points])
chart.draw_y_axis(lambda power: f"{10 ** power:g} ms" if power < 3 else f"{10 ** (power - 3):g} s")
chart.draw_x_axis([10.0 ** p for p in reversed(powers)], lambda e: f"{e:.0e}", "largest error of a corner of the box, m")
for colour, (contender, points) in zip(COLOURS, figures.items()):
    chart.draw_dots(points, colour, 2.5, 0.35)
    cheapest = find_cheapest(points)
    chart.draw_line(cheapest, colour)
    chart.draw_dots(cheapest, colour)
    chart.add_legend(contender, colour, left=440)
chart.write(__file__)
