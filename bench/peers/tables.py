#!/usr/bin/env python3
"""Tables and plots of the comparisons, from what bench/peers prints.

  bench/peers/tables.py FOLDER FILE.csv ...      FOLDER/peers_PROBLEM.svg, and the tables as Markdown on the terminal

A table has, for each method, the least time that reached an error of 1e-3, 1e-6 and 1e-9. Plain Python, nothing to install.
"""
import csv
import math
import pathlib
import sys

COLOURS = {"livens": "#1f6feb", "odeint": "#d1242f", "sundials": "#1a7f37", "gsl": "#9a6700", "lammps": "#d1242f",
           "simbody": "#d1242f", "calculix": "#d1242f"}
DASHES = ["", "6 3", "2 3", "9 3 2 3", "1 5", "12 4"]
BOUNDS = [1e-3, 1e-6, 1e-9]


def read(paths):
    rows = []
    for path in paths:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                rows.append({**row, **{key: float(row[key]) for key in ("setting", "error", "seconds")}})
    return rows


def grouped(rows, *keys):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= 0.9995 * size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def least(rows, bound):
    times = [row["seconds"] for row in rows if row["error"] <= bound]
    return min(times) if times else None


def table(problem, rows):
    methods = grouped(rows, "program", "method")
    best = [least(rows, bound) for bound in BOUNDS]
    print(f"\n{problem}\n\n| program | method | " + " | ".join(f"{b:.0e}" for b in BOUNDS) + " |\n|---|---|" + "---|" * 3)
    for (program, method), own in methods.items():
        cells = []
        for bound, first in zip(BOUNDS, best):
            time = least(own, bound)
            cells.append("" if time is None else f"**{seconds(time)}**" if time == first else seconds(time))
        if any(cells):
            print(f"| {program} | {method} | " + " | ".join(cells) + " |")


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def plot(problem, rows, path):
    rows = [row for row in rows if row["error"] > 0]
    if len(rows) < 3:
        return
    width, height, left, bottom, top, legend = 560, 420, 64, 48, 28, 310
    x0, x1 = decades([row["error"] for row in rows])
    x0, x1 = max(x0, -15), min(x1, 1)
    y0, y1 = decades([row["seconds"] for row in rows])

    def x(error):
        return left + (width - left - 10) * (x1 - math.log10(max(error, 10.0**x0))) / (x1 - x0)

    def y(time):
        return height - bottom - (height - bottom - top) * (math.log10(time) - y0) / (y1 - y0)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + legend} {height}" font-family="sans-serif"'
             ' font-size="12"><rect width="100%" height="100%" fill="white"/>',
             f'<text x="{left}" y="18" font-size="14">{problem}: time against error</text>']
    for k in range(x0, x1 + 1, 2 if x1 - x0 > 9 else 1):
        parts.append(f'<line x1="{x(10.0**k):.1f}" y1="{top}" x2="{x(10.0**k):.1f}" y2="{height - bottom}" stroke="#ddd"/>'
                     f'<text x="{x(10.0**k):.1f}" y="{height - bottom + 16}" text-anchor="middle">1e{k}</text>')
    for k in range(y0, y1 + 1):
        parts.append(f'<line x1="{left}" y1="{y(10.0**k):.1f}" x2="{width - 10}" y2="{y(10.0**k):.1f}" stroke="#ddd"/>'
                     f'<text x="{left - 6}" y="{y(10.0**k) + 4:.1f}" text-anchor="end">1e{k}</text>')
    parts.append(f'<text x="{(left + width) / 2}" y="{height - 10}" text-anchor="middle">error (smaller to the right)</text>'
                 f'<text transform="translate(16 {height / 2}) rotate(-90)" text-anchor="middle">processor time (s)</text>')
    used, line = {}, 0
    for (program, method), own in grouped(rows, "program", "method").items():
        own = sorted((row for row in own if row["error"] <= 10.0**x1), key=lambda row: row["seconds"])
        if not own:
            continue
        style = f'stroke="{COLOURS[program]}" stroke-dasharray="{DASHES[used.setdefault(program, 0) % len(DASHES)]}"'
        used[program] += 1
        points = " ".join(f"{x(row['error']):.1f},{y(row['seconds']):.1f}" for row in own)
        parts.append(f'<polyline points="{points}" fill="none" stroke-width="1.8" {style}/>')
        parts += [f'<circle cx="{x(row["error"]):.1f}" cy="{y(row["seconds"]):.1f}" r="2.4" fill="{COLOURS[program]}"/>'
                  for row in own]
        at = top + 14 + 18 * line
        parts.append(f'<line x1="{width + 8}" y1="{at - 4}" x2="{width + 40}" y2="{at - 4}" stroke-width="1.8" {style}/>'
                     f'<text x="{width + 46}" y="{at}">{program}: {method}</text>')
        line += 1
    path.write_text("\n".join(parts) + "\n</svg>\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for (problem,), rows in grouped(read(sys.argv[2:]), "problem").items():
        table(problem, rows)
        plot(problem, rows, folder / f"peers_{problem.replace(' ', '_')}.svg")


if __name__ == "__main__":
    main()
