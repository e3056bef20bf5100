#include "solve/stop_request.hpp"

#include <utility>

namespace livens {
namespace {

thread_local const std::function<bool()>* heard = nullptr;

}  // namespace

bool stop_requested() { return heard != nullptr && *heard && (*heard)(); }

StopScope::StopScope(std::function<bool()> asked) : asked_(std::move(asked)), outer_(heard) { heard = &asked_; }

StopScope::~StopScope() { heard = outer_; }

}  // namespace livens
