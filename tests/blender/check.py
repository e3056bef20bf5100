# blender --background --factory-startup --python EXPORT/open.py --python check.py: compares what Blender shows with the
# lines of the file LIVENS_EXPECTED, and looks at the picture LIVENS_PICTURE. Prints what it finds.
import os

import bpy

scene = bpy.context.scene
print(f"found: frames {scene.frame_start} to {scene.frame_end}, {scene.render.fps / scene.render.fps_base:g} a second")

if "LIVENS_EXPECTED" in os.environ:
    wanted = {}
    with open(os.environ["LIVENS_EXPECTED"]) as lines:
        for name, frame, face, corner, *position in map(str.split, lines):
            wanted.setdefault(int(frame), []).append((name, int(face), int(corner), [float(x) for x in position]))
    largest, moved, count, first = 0.0, 0.0, 0, {}
    for frame, entries in sorted(wanted.items()):
        scene.frame_set(frame)
        shown = bpy.context.evaluated_depsgraph_get()
        for name, face, corner, position in entries:
            mesh = bpy.data.objects[name].evaluated_get(shown).data
            here = mesh.vertices[mesh.polygons[face].vertices[corner]].co
            there = first.setdefault((name, face, corner), position)
            largest = max(largest, max(abs(a - b) for a, b in zip(here, position)))
            moved = max(moved, max(abs(a - b) for a, b in zip(here, there)))
            count += 1
    print(f"found: largest difference {largest:.3e} m of {count} corners that moved by up to {moved:.3e} m")

if "LIVENS_PICTURE" in os.environ:
    picture = bpy.data.images.load(os.environ["LIVENS_PICTURE"])
    pixels = list(picture.pixels)
    coloured = sum(max(pixels[k:k + 3]) - min(pixels[k:k + 3]) > 0.15 for k in range(0, len(pixels), 4))
    print(f"found: {100 * coloured / (len(pixels) // 4):.2f} % of {picture.size[0]} x {picture.size[1]} pixels are coloured")
