#include "files/hdf5_reader.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "files/hdf5_headers.hpp"
#include "mesh/files/inflate.hpp"

namespace livens {
namespace {

constexpr std::uint64_t overlap = 8;                         // bytes read at the opening, over those of the file
constexpr std::uint64_t most_packing = 64, small = 1 << 20;  // of a dataset that is read whole; frames may pack better

template <class From, class T>
T converted(From value) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<From>) {
    if (!std::in_range<T>(value)) throw RunError("it has a number that is too large");
    return static_cast<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    throw RunError("it has fractions instead of whole numbers");
  } else {
    return static_cast<T>(value);
  }
}

template <class From, class T>
std::vector<T> read_as(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(From));
  if constexpr (std::is_same_v<From, T>) {
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  } else {
    for (std::size_t k = 0; k < values.size(); ++k) {
      From value;
      std::memcpy(&value, bytes.data() + k * sizeof(From), sizeof value);
      values[k] = converted<From, T>(value);
    }
  }
  return values;
}

template <class Signed, class T>
std::vector<T> read_whole(const Hdf5Element& element, std::string_view bytes) {
  return element.has_sign ? read_as<Signed, T>(bytes) : read_as<std::make_unsigned_t<Signed>, T>(bytes);
}

// First all first bytes, then all second ones.
std::string unshuffled(const std::string& bytes, std::size_t size) {
  const std::size_t count = bytes.size() / size;
  std::string result(bytes.size(), '\0');
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < count; ++i) result[i * size + k] = bytes[k * count + i];
  return result;
}

// Runs what reads an object, and says which one was at fault.
template <class Read>
auto named(const std::string& path, const Read& read) {
  try {
    return read();
  } catch (const RunError& error) {
    throw RunError(path + ": " + error.what());
  }
}

}  // namespace

std::uint64_t Hdf5Array::count() const {
  std::uint64_t count = 1;
  for (const std::uint64_t length : shape) count *= length;
  return count;
}

// II.A. Superblock
Hdf5Reader::Hdf5Reader(const std::filesystem::path& path) : file_(path, File::Mode::read) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  size_ = static_cast<std::uint64_t>(std::max(0L, file_.size()));
  left_ = overlap * size_ + small;
  const std::string head = file_.read_at(0, 96);
  if (!head.starts_with(signature)) throw RunError("it is no HDF5 file");
  ByteCursor bytes(std::string_view(head).substr(signature.size()));
  const std::uint64_t version = bytes.number(1);
  if (version > 3) throw RunError("its version of HDF5 is not known");
  if (version < 2) bytes.skip(4);
  if (bytes.number(1) != 8 || bytes.number(1) != 8) throw RunError("its addresses do not have 8 bytes");
  bytes.skip(version >= 2 ? 1 : version == 1 ? 13 : 9);
  if (bytes.number(8) != 0) throw RunError("it does not begin at its first byte");
  bytes.skip(version >= 2 ? 16 : 32);
  root_ = bytes.number(8);
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  if (version >= 2 && bytes.number(4) != hdf5_checksum(std::string_view(head).substr(0, 44)))
    throw RunError("it is damaged (checksum)");
#endif
}

std::string Hdf5Reader::bytes_at(std::uint64_t address, std::uint64_t size) const {
  if (address > size_ || size > size_ - address) throw RunError("it points behind the end of the file");
  if (size > left_) throw RunError("its parts overlap");
  left_ -= size;
  std::string bytes = file_.read_at(static_cast<long>(address), size);
  if (bytes.size() != size) throw RunError("the file ends too early");
  return bytes;
}

Hdf5Object Hdf5Reader::object_at(std::uint64_t address, const std::string& path) const {
  Hdf5Object object;
  object.path = object.data.path = path;
  named(path, [&] { Hdf5HeaderReader(*this, object).read(address); });
  return object;
}

Hdf5Object Hdf5Reader::root() const { return object_at(root_, "/"); }

Hdf5Object Hdf5Reader::member(const Hdf5Object& group, const std::string& name) const {
  const auto found = group.members.find(name);
  const std::string path = group.path == "/" ? group.path + name : group.path + "/" + name;
  if (found == group.members.end()) throw RunError(path + " is missing");
  return object_at(found->second, path);
}

std::string Hdf5Reader::chunk(const Hdf5Stored& data, std::size_t index) const {
  const Hdf5Chunk& stored = data.chunks.at(index);
  const std::uint64_t rows = data.shape[0];
  const std::uint64_t row_bytes = rows > 0 ? data.count() / rows * data.element.size : 0;
  const std::uint64_t size = row_bytes * data.rows_of_chunk;
  if (size > most_inflation * (std::uint64_t{stored.bytes} + 1)) throw RunError("it has fewer numbers than it says");
  std::string packed = file_.read_at(static_cast<long>(stored.address), stored.bytes);
  std::string bytes = data.deflated ? std::string(size, '\0') : std::move(packed);
  if (data.deflated && !inflate_zlib(packed, bytes)) throw RunError("its numbers are damaged");
  if (bytes.size() != size) throw RunError("its numbers are damaged");
  return data.shuffled ? unshuffled(bytes, data.element.size) : bytes;
}

std::string Hdf5Reader::all_bytes(const Hdf5Stored& data) const {
  const std::uint64_t size = data.count() * data.element.size;
  if (!data.chunked) return !data.compact.empty() || size == 0 ? data.compact : bytes_at(data.address, size);
  std::uint64_t packed = 0;
  for (const Hdf5Chunk& each : data.chunks) packed += each.bytes;
  if (size > most_packing * packed + small || packed > left_) throw RunError("its size is absurd");
  left_ -= packed;
  std::string bytes;
  for (std::size_t k = 0; k < data.chunks.size(); ++k) bytes += chunk(data, k);
  bytes.resize(size);
  return bytes;
}

template <class T>
std::vector<T> numbers_of(const Hdf5Array& array, std::string_view bytes) {
  const Hdf5Element& element = array.element;
  if (element.kind == Hdf5Element::Kind::text) throw RunError("it has texts instead of numbers");
  if (element.kind == Hdf5Element::Kind::floating)
    return element.size == 4 ? read_as<float, T>(bytes) : read_as<double, T>(bytes);
  switch (element.size) {
    case 1: return read_whole<std::int8_t, T>(element, bytes);
    case 2: return read_whole<std::int16_t, T>(element, bytes);
    case 4: return read_whole<std::int32_t, T>(element, bytes);
    default: return read_whole<std::int64_t, T>(element, bytes);
  }
}

template <class T>
std::vector<T> Hdf5Reader::numbers(const Hdf5Stored& data) const {
  return named(data.path, [&] { return numbers_of<T>(data, all_bytes(data)); });
}

template <class T>
std::vector<T> Hdf5Reader::row(const Hdf5Stored& data, std::uint64_t index) const {
  return named(data.path, [&] {
    if (!data.chunked || index >= data.shape[0]) throw RunError("it has no row " + std::to_string(index));
    const std::string bytes = chunk(data, index / data.rows_of_chunk);
    const std::size_t size = bytes.size() / data.rows_of_chunk;
    return numbers_of<T>(data, std::string_view(bytes).substr(index % data.rows_of_chunk * size, size));
  });
}

template std::vector<double> Hdf5Reader::numbers(const Hdf5Stored&) const;
template std::vector<int> Hdf5Reader::numbers(const Hdf5Stored&) const;
template std::vector<long> Hdf5Reader::numbers(const Hdf5Stored&) const;
template std::vector<float> Hdf5Reader::row(const Hdf5Stored&, std::uint64_t) const;
template std::vector<double> numbers_of(const Hdf5Array&, std::string_view);
template std::vector<long> numbers_of(const Hdf5Array&, std::string_view);

std::vector<std::string> texts_of(const Hdf5Value& value) {
  if (value.element.kind != Hdf5Element::Kind::text) throw RunError("it has numbers instead of texts");
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < value.bytes.size(); at += value.element.size) {
    const std::string text = value.bytes.substr(at, value.element.size);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

}  // namespace livens
