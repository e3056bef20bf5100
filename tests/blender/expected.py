# expected.py frames.h5 BODY FRAME...: lines "body frame face corner x y z" of the surface, with frames counted from 1 as
# in Blender. Reads the file by itself, so that no code of the exporter is used.
import sys

import h5py

with h5py.File(sys.argv[1]) as recording:
    body = recording["bodies/" + sys.argv[2]]
    reference, surface = body["reference"][:], body["surface"][:]
    for frame in map(int, sys.argv[3:]):
        x = reference + body["displacement"][frame - 1]
        for face, nodes in enumerate(surface):
            for corner, node in enumerate(nodes):
                print(sys.argv[2], frame, face, corner, *map(repr, map(float, x[node])))
