// SHA-256 [FIPS 180-4]: names the content of scenes and guards checkpoints against damage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace livens {

class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  Sha256();
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  // The digest of all bytes added; nothing may be added afterwards.
  Digest digest();

 private:
  void compress(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_;
  std::array<std::uint8_t, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t bytes_ = 0;
};

std::string hex(const Sha256::Digest& digest);
std::string sha256(std::string_view text);

}  // namespace livens
