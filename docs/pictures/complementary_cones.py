# SPDX-License-Identifier: BSD-3-Clause
"""Draws complementary_cones.svg: which of the four cones of a 2 × 2 LCP a vector q is in. Run it in this folder."""
import math

SIZE, RADIUS = 260, 100
COLOURS = ["#4c78a8", "#f58518", "#54a24b", "#b279a2"]
TITLES = ["P-matrix: one for every q", "not P: three or one", "Q₀, not Q: one or none"]
MATRICES = [((2, 1), (1, 2)), ((1, 2), (2, 1)), ((1, -1), (-1, 1))]


def cone_path(a, b, radius):
    """The sector between directions a and b, less than a half turn."""
    start, end = math.atan2(a[1], a[0]), math.atan2(b[1], b[0])
    turn = (end - start + math.pi) % (2 * math.pi) - math.pi
    if abs(abs(turn) - math.pi) < 1e-9:
        return None  # the two directions are opposite: the cone is a line
    points = [(start + turn * k / 24) for k in range(25)]
    arc = " ".join(f"L {radius * math.cos(t):.1f} {-radius * math.sin(t):.1f}" for t in points)
    return f"M 0 0 {arc} Z"


def draw(matrix, title, x):
    columns = [(-matrix[0][k], -matrix[1][k]) for k in (0, 1)]  # −M's columns
    units = [(1, 0), (0, 1)]
    out = [f'<g transform="translate({x},{SIZE / 2 + 20})">',
           f'<text y="{-RADIUS - 30}" text-anchor="middle" font-weight="bold">{title}</text>']
    for k, (first, second) in enumerate([(0, 0), (1, 0), (0, 1), (1, 1)]):
        a = columns[0] if first else units[0]
        b = columns[1] if second else units[1]
        path = cone_path(a, b, RADIUS - 9 * k)
        if path:
            out.append(f'<path d="{path}" fill="{COLOURS[k]}" fill-opacity="0.35" stroke="{COLOURS[k]}"/>')
    for name, (dx, dy) in [("e₁", units[0]), ("e₂", units[1]), ("−M₁", columns[0]), ("−M₂", columns[1])]:
        length = math.hypot(dx, dy)
        dx, dy = dx / length, dy / length
        out.append(f'<line x2="{dx * RADIUS:.1f}" y2="{-dy * RADIUS:.1f}" stroke="#333" stroke-width="1.5"/>')
        out.append(f'<text x="{dx * (RADIUS + 14):.1f}" y="{-dy * (RADIUS + 14) + 4:.1f}" text-anchor="middle">{name}</text>')
    out.append("</g>")
    return "\n".join(out)


def main():
    names = ["w₁, w₂", "z₁, w₂", "w₁, z₂", "z₁, z₂"]
    legend = "".join(f'<rect x="{150 + 140 * k}" y="{SIZE + 26}" width="14" height="14" fill="{c}" fill-opacity="0.5"/>'
                     f'<text x="{170 + 140 * k}" y="{SIZE + 38}">{n} ≥ 0</text>' for k, (c, n) in
                     enumerate(zip(COLOURS, names)))
    panels = "\n".join(draw(m, t, 140 + 270 * k) for k, (m, t) in enumerate(zip(MATRICES, TITLES)))
    with open("complementary_cones.svg", "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 {SIZE + 50}" width="820" '
                   f'height="{SIZE + 50}" font-family="sans-serif" font-size="13">\n'
                   f'<rect width="100%" height="100%" fill="white"/>\n{panels}\n{legend}\n</svg>\n')


if __name__ == "__main__":
    main()
