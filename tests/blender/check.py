# blender --background --factory-startup --python EXPORT/open.py --python check.py -- ...: compares what Blender shows
# with the numbers that were expected, a file of lines "object frame vertex x y z". Prints "largest difference D of N".
import os

import bpy

largest, count, wanted = 0.0, 0, {}
with open(os.environ["LIVENS_EXPECTED"]) as lines:
    for line in lines:
        name, frame, vertex, x, y, z = line.split()
        wanted.setdefault(int(frame), []).append((name, int(vertex), (float(x), float(y), float(z))))
scene = bpy.context.scene
for frame, entries in sorted(wanted.items()):
    scene.frame_set(frame)
    shown = bpy.context.evaluated_depsgraph_get()
    for name, vertex, position in entries:
        here = bpy.data.objects[name].evaluated_get(shown).data.vertices[vertex].co
        largest = max(largest, max(abs(a - b) for a, b in zip(here, position)))
        count += 1
print(f"largest difference {largest:.3e} of {count} vertices, frames {scene.frame_start} to {scene.frame_end}, "
      f"{scene.render.fps / scene.render.fps_base:g} a second")
