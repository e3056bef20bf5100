# Opens an export of Livens in Blender (3.4 or newer):
#
#   blender --python open.py
#   blender --background --python open.py -- --render picture.png --frame 40
#   blender --background --python open.py -- --save scene.blend
#
# Nothing is saved or rendered unless asked for. Blender reads the point caches (.pc2) while it plays, so that they have
# to stay where they are.
import argparse
import json
import math
import os
import struct
import sys

import bpy
from mathutils import Matrix, Vector

SCENE = json.loads(r'''@SCENE@''')
HERE = os.path.dirname(os.path.abspath(__file__))
COLOURS = [(0.80, 0.33, 0.15, 1), (0.10, 0.36, 0.62, 1), (0.25, 0.52, 0.20, 1), (0.55, 0.30, 0.60, 1)]
GREY, LIGHT_GREY = (0.30, 0.30, 0.32, 1), (0.62, 0.62, 0.64, 1)


def read_ply(path):
    """Vertices and triangles of a binary PLY file as Livens writes it; the order of the vertices is that of the cache."""
    with open(path, "rb") as file:
        counts = {}
        while (line := file.readline().split()) != [b"end_header"]:
            if line[:1] == [b"element"]:
                counts[line[1]] = int(line[2])
        numbers = struct.unpack(f"<{3 * counts[b'vertex']}f", file.read(12 * counts[b"vertex"]))
        vertices = list(zip(numbers[0::3], numbers[1::3], numbers[2::3]))
        faces = [struct.unpack("<xiii", file.read(13)) for _ in range(counts[b"face"])]
    return vertices, faces


def material(name, colour, roughness=0.5):
    made = bpy.data.materials.new(name)
    made.diffuse_color = colour
    made.use_nodes = True
    shader = next(node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = colour
    shader.inputs["Roughness"].default_value = roughness
    return made


def add_object(name, data, parent):
    made = bpy.data.objects.new(name, data)
    made.parent = parent
    bpy.context.scene.collection.objects.link(made)
    return made


def icosphere(name, radius, subdivisions, look):
    """A sphere of triangles about the origin."""
    import bmesh

    mesh, shape = bpy.data.meshes.new(name), bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=subdivisions, radius=radius)
    for face in shape.faces:
        face.smooth = True
    shape.to_mesh(mesh)
    shape.free()
    mesh.materials.append(look)
    return mesh


def add_cached(entry, colour, parent):
    """A mesh that follows its point cache."""
    vertices, faces = read_ply(os.path.join(HERE, entry["file"] + ".ply"))
    mesh = bpy.data.meshes.new(entry["name"])
    mesh.from_pydata(vertices, [], faces)
    for face in mesh.polygons:
        face.use_smooth = entry["kind"] != "points"
    if hasattr(mesh, "use_auto_smooth"):  # until Blender 4.0
        mesh.use_auto_smooth, mesh.auto_smooth_angle = True, math.radians(35)
    elif hasattr(mesh, "set_sharp_from_angle"):
        mesh.set_sharp_from_angle(angle=math.radians(35))
    mesh.update()
    look = material(entry["name"], colour)
    mesh.materials.append(look)
    made = add_object(entry["name"], mesh, parent)
    cache = made.modifiers.new("Livens", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = os.path.join(HERE, entry["file"] + ".pc2")
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"  # as they are: turning is left to the parent
    cache.frame_start = SCENE["first_frame"]
    cache.interpolation = "LINEAR"
    if entry["kind"] == "points":  # a sphere at every vertex
        ball = add_object(entry["name"] + " ball", icosphere(entry["name"] + " ball", entry["radius"], 3, look), made)
        made.instance_type = "VERTS"
        made.show_instancer_for_render = False
        ball.hide_render = False
    return made


def open_up(made, size):
    """Bars along the edges instead of walls: what is in a room shall be seen."""
    bars = made.modifiers.new("Bars", "WIREFRAME")
    bars.thickness = size


def add_obstacle(entry, diagonal, parent):
    name = entry.get("name") or entry["kind"]
    look = material(name, LIGHT_GREY, 0.9)
    size = 20 * diagonal
    if entry["kind"] == "sphere":
        made = add_object(name, icosphere(name, entry["radius"], 3 if entry["room"] else 5, look), parent)
        made.location = entry["point"]
        if entry["room"]:
            open_up(made, 2e-3 * diagonal)
        return
    normal = Vector(entry["normal"]).normalized()
    middle = (Vector(SCENE["box"][:3]) + Vector(SCENE["box"][3:])) / 2
    foot = middle - normal * normal.dot(middle - Vector(entry["point"]))  # below the bodies, wherever they are
    turn = normal.to_track_quat("Z", "Y")
    corners = [foot + turn @ Vector((size * x, size * y, 0)) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    mesh.materials.append(look)
    add_object(name, mesh, parent)


def add_camera_and_lights(turn, diagonal):
    scene = bpy.context.scene
    corners = [turn @ Vector([SCENE["box"][3 * pick[c] + c] for c in range(3)])
               for pick in [(i & 1, i >> 1 & 1, i >> 2) for i in range(8)]]
    middle = sum(corners, Vector()) / 8
    camera = bpy.data.cameras.new("Camera")
    made = add_object("Camera", camera, None)
    flat = SCENE["dimension"] == 2
    direction = Vector((0, -1, 0)) if flat else Vector((0.55, -1, 0.42)).normalized()
    made.rotation_euler = (-direction).to_track_quat("-Z", "Y").to_euler()
    camera.clip_end = 100 * diagonal
    camera.clip_start = 1e-3 * diagonal
    # Far enough that all corners of the box of all frames are in the picture, with a margin.
    right, up = made.rotation_euler.to_matrix().col[0], made.rotation_euler.to_matrix().col[1]
    half_width = math.tan(camera.angle / 2)
    half_height = half_width * scene.render.resolution_y / scene.render.resolution_x
    distance = max((corner - middle).dot(direction) + 1.15 * max(abs((corner - middle).dot(right)) / half_width,
                                                                  abs((corner - middle).dot(up)) / half_height)
                   for corner in corners)
    made.location = middle + direction * max(distance, 1e-6)
    scene.camera = made

    sun = bpy.data.lights.new("Sun", "SUN")
    sun.energy, sun.angle = 2.2, 0.1
    add_object("Sun", sun, None).rotation_euler = (math.radians(40), math.radians(-15), math.radians(-30))
    world = scene.world or bpy.data.worlds.new("World")
    scene.world = world
    world.use_nodes = True
    background = next(node for node in world.node_tree.nodes if node.type == "BACKGROUND")
    background.inputs["Color"].default_value = (0.85, 0.88, 0.92, 1)
    background.inputs["Strength"].default_value = 0.45


def build():
    scene = bpy.context.scene
    for thing in list(bpy.data.objects):  # the cube, camera and light that Blender starts with
        bpy.data.objects.remove(thing, do_unlink=True)
    scene.frame_start = SCENE["first_frame"]
    scene.frame_end = SCENE["first_frame"] + SCENE["frames"] - 1
    scene.render.fps = max(1, round(SCENE["fps"]))
    scene.render.fps_base = scene.render.fps / SCENE["fps"]
    scene.unit_settings.system = "METRIC"
    scene.render.resolution_x, scene.render.resolution_y = 1280, 800
    scene.view_settings.view_transform = "Standard"

    turn = Vector(SCENE["up"]).rotation_difference(Vector((0, 0, 1))).to_matrix()
    if tuple(round(x, 9) for x in SCENE["up"]) == (0, 1, 0):  # x stays to the right
        turn = Matrix.Rotation(math.radians(90), 3, "X")
    parent = add_object("Run " + SCENE["name"], None, None)
    parent.matrix_world = turn.to_4x4()
    box = SCENE["box"]
    diagonal = math.dist(box[:3], box[3:]) or 1.0
    solids = 0
    for entry in SCENE["objects"]:
        tubes, obstacle = entry["kind"] == "tubes", entry["obstacle"]
        colour = LIGHT_GREY if obstacle else GREY if tubes else COLOURS[solids % len(COLOURS)]
        made = add_cached(entry, colour, parent)
        if entry["room"] and SCENE["dimension"] == 3:
            open_up(made, 5e-3 * diagonal)
        solids += not (tubes or obstacle)
    for entry in SCENE["obstacles"]:
        add_obstacle(entry, diagonal, parent)
    add_camera_and_lights(turn, diagonal)
    scene.frame_set(scene.frame_start)


def main():
    arguments = argparse.ArgumentParser(prog="open.py")
    arguments.add_argument("--render", metavar="FILE", help="render one frame into this picture (PNG)")
    arguments.add_argument("--frame", type=int, default=SCENE["first_frame"], help="of Blender's time, from 1 on")
    arguments.add_argument("--samples", type=int, default=32, help="of each pixel")
    arguments.add_argument("--save", metavar="FILE", help="save as a .blend file")
    given = arguments.parse_args(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])
    build()
    scene = bpy.context.scene
    scene.frame_set(given.frame)
    if given.render:
        scene.render.engine = "CYCLES"  # the one that needs no graphics hardware
        scene.cycles.samples = given.samples
        scene.cycles.use_denoising = False
        scene.render.image_settings.file_format = "PNG"
        scene.render.filepath = os.path.abspath(given.render)
        bpy.ops.render.render(write_still=True)
    if given.save:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(given.save))


main()
