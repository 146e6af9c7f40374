# SPDX-License-Identifier: BSD-3-Clause
"""Draws quasistatic_growth.svg from the file that `./run bench quasistatic` writes: time for all solutions, and of the
fast algorithm alone, over the number of contacts. usage: quasistatic_growth.py out/bench/quasistatic.csv"""
import math
import pathlib
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 560, 360, 70, 50, 20, 20
LINES = [("all solutions, worst of the problems", 2, "#e45756", "4 3"), ("all solutions, median", 1, "#4c78a8", ""),
         ("fast algorithm alone, median", 4, "#54a24b", "")]

rows = [line.split(",") for line in pathlib.Path(sys.argv[1]).read_text().splitlines() if line.startswith("growth,")]
table = [(int(r[1]), float(r[2]), float(r[3]), float(r[4]), float(r[5])) for r in rows]
contacts = [row[0] for row in table]
values = [row[k] for row in table for _, k, _, _ in LINES]
low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def x(n):
    span = math.log(contacts[-1] / contacts[0])
    return LEFT + (WIDTH - LEFT - RIGHT) * math.log(n / contacts[0]) / span


def y(seconds):
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (math.log10(seconds) - low) / (high - low)


out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
       f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
for power in range(low, high + 1):
    at = y(10.0 ** power)
    label = f"{10.0 ** power:g} s" if power > -3 else f"{10.0 ** (power + 3):g} ms"
    out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
    out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{label}</text>')
for n in contacts:
    out.append(f'<line x1="{x(n):.1f}" x2="{x(n):.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#eee"/>')
    out.append(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{n}</text>')
out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">contacts n_c</text>')
# A slope to compare with, through the last median.
last, first = table[-1], contacts[len(contacts) // 2]
square = last[1] * (first / last[0]) ** 2
out.append(f'<line x1="{x(first):.1f}" y1="{y(square):.1f}" x2="{x(last[0]):.1f}" y2="{y(last[1]):.1f}" stroke="#999" '
           'stroke-dasharray="2 4"/>')
out.append(f'<text x="{x(first) + 6:.1f}" y="{y(square) + 16:.1f}" fill="#777">n_c²</text>')
for k, (name, column, colour, dash) in enumerate(LINES):
    points = " ".join(f"{x(row[0]):.1f},{y(row[column]):.1f}" for row in table)
    out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
    out += [f'<circle cx="{x(r[0]):.1f}" cy="{y(r[column]):.1f}" r="3" fill="{colour}"/>' for r in table]
    out.append(f'<line x1="{LEFT + 14}" x2="{LEFT + 40}" y1="{TOP + 16 + 18 * k}" y2="{TOP + 16 + 18 * k}" stroke="{colour}" '
               f'stroke-width="2" stroke-dasharray="{dash}"/>')
    out.append(f'<text x="{LEFT + 46}" y="{TOP + 20 + 18 * k}">{name}</text>')
out.append("</svg>")
pathlib.Path(__file__).with_suffix(".svg").write_text("\n".join(out) + "\n")
