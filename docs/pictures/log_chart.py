# SPDX-License-Identifier: BSD-3-Clause
"""A chart on two logarithmic axes as SVG, for the pictures of benchmarks."""
import math
import pathlib

LEFT, BOTTOM, TOP, RIGHT = 70, 50, 20, 20


class LogChart:
    """Values from low to high along x, whole decades along y."""

    def __init__(self, width, height, x_range, y_values):
        self.width, self.height = width, height
        self.x_range = x_range
        self.low, self.high = math.floor(math.log10(min(y_values))), math.ceil(math.log10(max(y_values)))
        self.out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
                    'font-size="13">', f'<rect width="{width}" height="{height}" fill="white"/>']
        self.legend_length = 0

    def x(self, value):
        first, last = self.x_range
        return LEFT + (self.width - LEFT - RIGHT) * math.log(value / first) / math.log(last / first)

    def y(self, value):
        inner = self.height - BOTTOM - TOP
        return self.height - BOTTOM - inner * (math.log10(value) - self.low) / (self.high - self.low)

    def draw_y_axis(self, label):
        """A line and label(power) at every power of ten."""
        for power in range(self.low, self.high + 1):
            at = self.y(10.0 ** power)
            self.out.append(f'<line x1="{LEFT}" x2="{self.width - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>')
            self.out.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{label(power)}</text>')

    def draw_x_axis(self, values, label, title):
        for value in values:
            at = self.x(value)
            self.out.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{self.height - BOTTOM}" stroke="#eee"/>')
            self.text(at, self.height - BOTTOM + 18, label(value), "middle")
        self.text((LEFT + self.width - RIGHT) / 2, self.height - 10, title, "middle")

    def text(self, x, y, words, anchor="start", colour="black"):
        self.out.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>')

    def draw_dots(self, points, colour, radius=3, opacity=1):
        self.out += [f'<circle cx="{self.x(a):.1f}" cy="{self.y(b):.1f}" r="{radius}" fill="{colour}" '
                     f'fill-opacity="{opacity}"/>' for a, b in points]

    def draw_line(self, points, colour, dash="", width=2):
        path = " ".join(f"{self.x(a):.1f},{self.y(b):.1f}" for a, b in points)
        self.out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
                        f'stroke-dasharray="{dash}"/>')

    def add_legend(self, words, colour, dash="", left=LEFT + 14):
        at = TOP + 16 + 18 * self.legend_length
        self.legend_length += 1
        self.out.append(f'<line x1="{left}" x2="{left + 26}" y1="{at}" y2="{at}" stroke="{colour}" stroke-width="2" '
                        f'stroke-dasharray="{dash}"/>')
        self.text(left + 32, at + 4, words)

    def write(self, script):
        """Beside the script, under its name."""
        pathlib.Path(script).with_suffix(".svg").write_text("\n".join(self.out + ["</svg>"]) + "\n")
