// --format vtu: NAME.pvd and a VTU file for each frame and body, with all recorded fields, at the deformed positions.
#include <algorithm>

#include <fmt/format.h>

#include "export/export.hpp"
#include "export/fresh_directory.hpp"
#include "files/exchange_files.hpp"
#include "files/fields.hpp"
#include "files/files.hpp"
#include "files/frames_reader.hpp"
#include "mesh/core/words.hpp"
#include "mesh/files/vtu_grid.hpp"
#include "run/finished_run.hpp"

namespace livens {
namespace {

namespace fs = std::filesystem;

// One body of the recording with what does not change.
struct VtuBody {
  const FrameBody* recorded = nullptr;
  std::shared_ptr<const Mesh> mesh;  // null for points
};

std::vector<double> displacements(const FrameBody& body, const std::vector<double>& positions) {
  std::vector<double> values(positions.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = positions[i] - body.reference[i];
  return values;
}

class VtuExport {
 public:
  VtuExport(const FramesFile& file, const std::string& run, const ExportOptions& options) : file_(file) {
    std::vector<std::string> bodies, fields = {"displacement"};
    for (const FrameBody& body : file.bodies()) {
      bodies.push_back(body.name);
      for (const std::string& field : all_fields(body))
        if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    }
    require_known(options.bodies, bodies, "body", run);
    require_known(options.fields, fields, "field", run);
    fields_ = options.fields.empty() ? fields : options.fields;
    for (const FrameBody& body : file.bodies())
      if (options.bodies.empty() ||
          std::find(options.bodies.begin(), options.bodies.end(), body.name) != options.bodies.end())
        bodies_.push_back({&body, recorded_mesh(body)});
  }

  const std::vector<VtuBody>& bodies() const { return bodies_; }
  const std::vector<std::string>& fields() const { return fields_; }

  std::string content(const VtuBody& body, int frame) const {
    const std::vector<double> positions = file_.positions(*body.recorded, frame);
    VtuGrid grid;
    if (body.mesh != nullptr)
      grid.add_mesh(*body.mesh, positions);
    else
      grid.add_points(body.recorded->dimension, positions);
    std::vector<MeshField> fields;
    const auto& known = all_fields(*body.recorded);
    for (const std::string& name : fields_)
      if (std::find(known.begin(), known.end(), name) != known.end())
        fields.push_back(field_of(body, name, frame, positions));
    return grid.bytes(fields, file_.t()[frame]);
  }

 private:
  // The displacement and the regions are there without having been asked for.
  static std::vector<std::string> all_fields(const FrameBody& body) {
    std::vector<std::string> names = {"displacement"};
    names.insert(names.end(), body.fields.begin(), body.fields.end());
    if (!body.region.empty() && std::find(names.begin(), names.end(), "region") == names.end())
      names.push_back("region");
    return names;
  }

  MeshField field_of(const VtuBody& body, const std::string& name, int frame,
                     const std::vector<double>& positions) const {
    const FrameBody& recorded = *body.recorded;
    const FieldRecord& record = field_record(name);
    MeshField field{name, record.components == 0 ? recorded.dimension : record.components, record.per_cell, {}};
    const bool stored = std::find(recorded.fields.begin(), recorded.fields.end(), name) != recorded.fields.end();
    if (name == "displacement") {
      field.values = displacements(recorded, positions);
    } else if (!stored) {
      field.values.assign(recorded.region.begin(), recorded.region.end());
    } else {
      const std::vector<float> values = file_.values(recorded, name, frame);
      field.values.assign(values.begin(), values.end());
    }
    return field;
  }

  const FramesFile& file_;
  std::vector<VtuBody> bodies_;
  std::vector<std::string> fields_;
};

}  // namespace

ExportResult export_vtu(const std::vector<std::string>& runs, const ExportOptions& options) {
  const fs::path directory = runs.front();
  const auto path = frames_file(read_summary(directory), directory);
  if (!path) refuse_without_frames(runs.front());
  const FramesFile file(*path);
  if (file.frames() == 0) refuse_without_frames(runs.front());
  const VtuExport bodies(file, runs.front(), options);
  const std::vector<int> chosen = select_frames(file.t(), options.choice);
  const std::string name = run_name(directory);
  const fs::path out = options.out.empty() ? fs::path(name + "_vtu") : options.out;
  FreshDirectory folder(out);
  PvdList list;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    ask_to_go_on(options);
    int part = 0;
    for (const VtuBody& body : bodies.bodies()) {
      const std::string file_name = fmt::format("{}_{:06}.vtu", body.recorded->name, k);
      File(folder.file(file_name), File::Mode::create).write(bodies.content(body, chosen[k]));
      list.add(file.t()[chosen[k]], part++, body.recorded->name, file_name);
    }
  }
  write_file(folder.file(name + ".pvd"), list.text());
  folder.commit();
  const std::size_t files = chosen.size() * bodies.bodies().size();
  return {fmt::format("{}/ has {}.pvd and {} VTU files ({} frames) with {}. Run: paraview {}", out.string(), name,
                      grouped(static_cast<long>(files)), grouped(static_cast<long>(chosen.size())),
                      fmt::join(bodies.fields(), ", "), (out / (name + ".pvd")).string()),
          {}};
}

}  // namespace livens
