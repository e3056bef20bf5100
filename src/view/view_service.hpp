// The viewer's web interface: who may ask, and which text or bytes answer which path.
#pragma once

#include "view/http.hpp"
#include "view/view_source.hpp"

namespace livens {

// 128 random bits in hexadecimal digits; throws RunError if the system provides none.
std::string random_key();

class ViewService {
 public:
  ViewService(ViewSource& source, std::string key) : source_(source), key_(std::move(key)) {}

  // Nothing: there is none yet, ask again.
  std::optional<HttpReply> answer(const HttpRequest& request, std::chrono::milliseconds waited) const;
  const std::string& key() const { return key_; }

 private:
  std::optional<HttpReply> route(const HttpRequest& request, std::chrono::milliseconds waited) const;

  ViewSource& source_;
  std::string key_;
};

}  // namespace livens
