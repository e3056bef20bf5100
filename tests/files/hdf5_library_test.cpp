// The HDF5 library and our own reader and writer of that format see the same.
#include <fstream>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "files/frames_reader.hpp"
#include "support/scratch.hpp"

namespace livens {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// A run with a recording; its path.
fs::path recorded(const fs::path& folder) {
  run_text(lattice_text("kind = 'stormer_verlet', step = 0.05", "2",
                        "output = [{ kind = 'frames', every = 0.1, fields = ['velocity'] }]\n"),
           folder / "run");
  return folder / "run/frames.h5";
}

std::vector<float> library_values(const fs::path& path, const char* name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(data);
  std::vector<float> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Sclose(space);
  H5Dclose(data);
  H5Fclose(file);
  return values;
}

// All of a file in one that the library lays out its own way; `change` may spoil it.
template <class Change>
fs::path rewritten(const fs::path& path, const Change& change) {
  const fs::path other = path.parent_path() / "rewritten.h5";
  const hid_t from = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t to = H5Fcreate(other.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (const char* name : {"t", "step", "bodies", "obstacles"})
    EXPECT_GE(H5Ocopy(from, name, to, name, H5P_DEFAULT, H5P_DEFAULT), 0) << name;
  for (const char* name : {"format", "version", "box", "title", "dimension"}) {
    const hid_t old = H5Aopen(from, name, H5P_DEFAULT), type = H5Aget_type(old), space = H5Aget_space(old);
    std::string bytes(static_cast<std::size_t>(H5Aget_storage_size(old)), '\0');
    H5Aread(old, type, bytes.data());
    const hid_t made = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, type, bytes.data());
    H5Aclose(made), H5Sclose(space), H5Tclose(type), H5Aclose(old);
  }
  change(to);
  H5Fclose(from);
  EXPECT_GE(H5Fclose(to), 0);
  return other;
}

std::string fault(const fs::path& path) {
  try {
    const FramesFile file(path);
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

TEST(Hdf5Library, ReadsWhatLivensWrites) {
  const fs::path path = recorded(scratch());
  const FramesFile file(path);
  for (const char* field : {"displacement", "velocity"}) {
    const std::string name = std::string("/bodies/lattice/") + (field[0] == 'v' ? "fields/" : "") + field;
    const auto all = library_values(path, name.c_str());
    std::vector<float> own;
    for (int frame = 0; frame < file.frames(); ++frame) {
      const auto values = file.values(file.bodies()[0], field, frame);
      own.insert(own.end(), values.begin(), values.end());
    }
    EXPECT_GT(all.size(), 100u);
    EXPECT_EQ(all, own) << field;
  }
}

TEST(Hdf5Library, WritesWhatLivensReads) {
  const fs::path path = recorded(scratch());
  const FramesFile first(path), second(rewritten(path, [](hid_t) {}));
  EXPECT_EQ(first.t(), second.t());
  EXPECT_EQ(first.steps(), second.steps());
  EXPECT_EQ(first.box(), second.box());
  ASSERT_EQ(second.bodies().size(), 1u);
  EXPECT_EQ(first.bodies()[0].reference, second.bodies()[0].reference);
  EXPECT_EQ(first.bodies()[0].fields, second.bodies()[0].fields);
  for (int frame = 0; frame < first.frames(); ++frame)
    EXPECT_EQ(first.values(first.bodies()[0], "velocity", frame), second.values(second.bodies()[0], "velocity", frame));
}

// Numbers of other files would be sent along with a page that is made of a recording.
TEST(Hdf5Library, FilesThatReachForOthersAreRefused) {
  const fs::path folder = scratch(), path = recorded(folder);
  std::ofstream(folder / "run/secret.bin", std::ios::binary) << std::string(100000, 's');
  const std::string secret = (folder / "run/secret.bin").string();
  const char* reference = "/bodies/lattice/reference";
  const auto remove_reference = [&](hid_t file) { H5Ldelete(file, reference, H5P_DEFAULT); };

  const std::string external = fault(rewritten(path, [&](hid_t file) {
    const hsize_t shape[2] = {100, 2};
    remove_reference(file);
    const hid_t made = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, shape, nullptr);
    H5Pset_external(made, secret.c_str(), 0, 1600);
    H5Dclose(H5Dcreate2(file, reference, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT));
    H5Sclose(space), H5Pclose(made);
  }));
  EXPECT_NE(external.find("/bodies/lattice/reference: its numbers are in another file"), std::string::npos) << external;

  const std::string link = fault(rewritten(path, [&](hid_t file) {
    remove_reference(file);
    H5Lcreate_external(path.c_str(), reference, file, reference, H5P_DEFAULT, H5P_DEFAULT);
  }));
  EXPECT_NE(link.find("/bodies/lattice"), std::string::npos) << link;
  EXPECT_NE(link.find("link to another"), std::string::npos) << link;

  const std::string soft = fault(rewritten(path, [&](hid_t file) {
    remove_reference(file);
    H5Lcreate_soft("/t", file, reference, H5P_DEFAULT, H5P_DEFAULT);
  }));
  EXPECT_NE(soft.find("link to another"), std::string::npos) << soft;

  const std::string virtually = fault(rewritten(path, [&](hid_t file) {
    const hsize_t shape[2] = {100, 2};
    remove_reference(file);
    const hid_t made = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, shape, nullptr);
    H5Pset_virtual(made, space, path.c_str(), reference, space);
    H5Dclose(H5Dcreate2(file, reference, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT));
    H5Sclose(space), H5Pclose(made);
  }));
  EXPECT_NE(virtually.find("laid out in a way"), std::string::npos) << virtually;

  // Space that was promised and never written: megabytes out of nothing.
  const std::string empty = fault(rewritten(path, [&](hid_t file) {
    const hsize_t shape[2] = {hsize_t{1} << 27, 2}, chunk[2] = {1 << 20, 2};
    remove_reference(file);
    const hid_t made = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, shape, nullptr);
    H5Pset_chunk(made, 2, chunk);
    H5Dclose(H5Dcreate2(file, reference, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, made, H5P_DEFAULT));
    H5Sclose(space), H5Pclose(made);
  }));
  EXPECT_NE(empty.find("/bodies/lattice/reference"), std::string::npos) << empty;
}

}  // namespace
}  // namespace livens
