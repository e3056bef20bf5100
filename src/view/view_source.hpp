// What the server shows: finished runs, or one that is under way. Free of HTTP; the texts and bytes are those of
// docs/view_protocol.md.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

namespace livens {

// A request that cannot be answered; what() is ready to show.
class ViewError : public std::runtime_error {
 public:
  ViewError(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

struct FrameRequest {
  int from = 0, count = 1;
  std::string field, arrows;                    // "": none
  std::size_t largest = std::size_t{16} << 20;  // bytes of all; one frame may have more
};

class ViewSource {
 public:
  virtual ~ViewSource() = default;
  virtual std::string session() = 0;
  virtual int runs() const = 0;
  // id is less than runs(). All may be called by several threads at once, and throw ViewError or RunError.
  virtual std::string description(int id) = 0;
  virtual std::string mesh(int id) = 0;
  virtual std::string frames(int id, const FrameRequest& request) = 0;
  // Rows behind number `after`; all of them without.
  virtual std::string history(int id, std::optional<long> after) = 0;

  // Live sessions only.
  virtual bool live() const { return false; }
  virtual std::string live_state() { throw ViewError(404, "this session is not live"); }
  // Nothing: there is no frame behind number `after` yet.
  virtual std::optional<std::string> live_frame(long /*after*/, const FrameRequest&) { return live_state(); }
  virtual std::string command(const std::string& /*json*/) { return live_state(); }
};

}  // namespace livens
