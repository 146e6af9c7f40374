# SPDX-License-Identifier: BSD-3-Clause
"""Makes gloves/grasp.csv: what a CyberGlove would record of a hand that opens, closes on something and opens again.

usage: python3 gloves/make_grasp.py > gloves/grasp.csv

The recording is made up, not measured; it has the features of a measured one:

- fingers move by minimum-jerk curves, 10 s^3 - 15 s^4 + 6 s^5 (FlashHogan1985), one after the other by some 20 ms,
  the middle and proximal joints together, the distal ones following at 2/3 of the proximal interphalangeal ones;
- physiological tremor of a tenth of a degree at 8 to 12 Hz;
- a sample every 20 ms, in steps of 0.1 degrees.

The same numbers come out every time: the tremor is a sum of sines with fixed phases.
"""

import math

PERIOD, END = 0.02, 3.0  # s
RESOLUTION = math.radians(0.1)
TREMOR = math.radians(0.1)

# The 22 sensors: flat, pre-shaped and closed hand, degrees; delay of the sensor's finger, s.
SENSORS = {
    "G_ThumbRotate": (10, 35, 40, 0.00),
    "G_ThumbMPJ": (0, -8, 48, 0.00),
    "G_ThumbIJ": (0, 4, 28, 0.00),
    "G_ThumbAb": (4, 3, 2, 0.00),
    "G_IndexMPJ": (0, -8, 14, 0.02),
    "G_IndexPIJ": (0, 4, 11, 0.02),
    "G_IndexDIJ": (0, 3, 7, 0.02),
    "G_MiddleMPJ": (0, -8, 14, 0.03),
    "G_MiddlePIJ": (0, 4, 11, 0.03),
    "G_MiddleDIJ": (0, 3, 7, 0.03),
    "G_MiddleIndexAb": (3, 2, 1, 0.02),
    "G_RingMPJ": (0, -8, 14, 0.05),
    "G_RingPIJ": (0, 4, 11, 0.05),
    "G_RingDIJ": (0, 3, 7, 0.05),
    "G_RingMiddleAb": (3, 2, 1, 0.03),
    "G_PinkieMPJ": (0, -8, 14, 0.06),
    "G_PinkiePIJ": (0, 4, 11, 0.06),
    "G_PinkieDIJ": (0, 3, 7, 0.06),
    "G_PinkieRingAb": (4, 3, 2, 0.05),
    "G_PalmArch": (0, 5, 10, 0.03),
    "G_WristPitch": (0, 0, 0, 0.00),
    "G_WristYaw": (0, 0, 0, 0.00),
}
# When the hand goes from one to the next: flat, pre-shaped, closed, pre-shaped, flat; s.
PHASES = [(0.1, 0.5, 0, 1), (0.6, 1.1, 1, 2), (2.0, 2.4, 2, 1), (2.4, 2.9, 1, 0)]


def minimum_jerk(t, start, end):
    s = min(max((t - start) / (end - start), 0), 1)
    return s**3 * (10 - 15 * s + 6 * s * s)


def angle(t, number, postures):
    *degrees, delay = postures
    value = degrees[0]
    for start, end, before, after in PHASES:
        value += (degrees[after] - degrees[before]) * minimum_jerk(t - delay, start, end)
    tremor = sum(math.sin(2 * math.pi * f * t + 1.7 * number + f) for f in (8.3, 9.7, 11.2)) / 3
    return round((math.radians(value) + TREMOR * tremor) / RESOLUTION) * RESOLUTION


def main():
    print("t," + ",".join(SENSORS))
    for k in range(round(END / PERIOD) + 1):
        t = k * PERIOD
        cells = [f"{angle(t, i, postures):.4f}" for i, postures in enumerate(SENSORS.values())]
        print(f"{t:.2f}," + ",".join("0.0000" if cell == "-0.0000" else cell for cell in cells))


if __name__ == "__main__":
    main()
