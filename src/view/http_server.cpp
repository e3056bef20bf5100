#include "view/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <livens/run.hpp>

namespace livens {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds tick{50};       // between two looks at deadlines and at requests that wait
constexpr milliseconds farewell{500};  // for the client to read the last reply
constexpr int accepted_at_once = 64;  // connections between two looks at those that are there; far fewer than strangers

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

void make_nonblocking(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

int listening_socket(int port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) throw RunError(std::string("cannot open a socket: ") + std::strerror(errno));
  const int yes = 1;
  ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(descriptor, SOMAXCONN) != 0) {
    const std::string why = std::strerror(errno);
    ::close(descriptor);
    throw RunError("port " + std::to_string(port) + " of 127.0.0.1: " + why + ". Use --port 0 for a free one");
  }
  return descriptor;
}

int port_of(int descriptor) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

struct Connection {
  enum class Stage { reading, waiting, working, writing, ending };  // waiting: not yet, or too much under way

  explicit Connection(int descriptor) : socket(descriptor) {}

  Descriptor socket;
  Stage stage = Stage::reading;
  bool is_friend = false;
  bool gone = false;  // closed while a thread works on its request
  bool ends = false;  // closed after the reply
  long requests = 0;
  std::string input;  // at most one request and what came behind it
  HttpRequest request;
  std::string head;  // of the reply
  std::string body;
  std::size_t sent = 0;
  Clock::time_point since = Clock::now();  // it is in this stage, or has made progress
  Clock::time_point asked = since;         // the request was complete

  std::size_t left() const { return head.size() + body.size() - sent; }
};

}  // namespace

class HttpServer::Loop {
 public:
  Loop(Handler handler, const HttpServerOptions& options)
      : handler_(std::move(handler)), options_(options), listener_(listening_socket(options.port)) {
    int ends[2];
    if (::pipe(ends) != 0) throw RunError(std::string("cannot open a pipe: ") + std::strerror(errno));
    pipe_.emplace_back(ends[0]);
    pipe_.emplace_back(ends[1]);
    for (const int end : ends) make_nonblocking(end);
    for (int k = 0; k < options_.threads; ++k) workers_.emplace_back([this] { work(); });
    loop_ = std::thread([this] { run(); });
  }

  ~Loop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    work_waits_.notify_all();
    poke();
    loop_.join();
    for (std::thread& worker : workers_) worker.join();
  }

  int port() const { return port_of(listener_.get()); }
  int connections() const { return count_; }
  long served() const { return served_; }

  void wake() {
    news_ = true;
    poke();
  }

 private:
  using Place = std::list<Connection>::iterator;

  void poke() {
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(pipe_[1].get(), &byte, 1);  // a full pipe wakes as well
  }

  // --- the threads that work out replies -------------------------------------------------------------------------

  void work() {
    for (;;) {
      Connection* connection = nullptr;
      {
        std::unique_lock lock(mutex_);
        work_waits_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
        if (stop_) return;
        connection = jobs_.front();
        jobs_.pop_front();
      }
      // Only this thread touches request, head and body while the stage is working.
      std::optional<HttpReply> reply = reply_to(*connection);
      {
        const std::lock_guard lock(mutex_);
        finished_.emplace_back(connection, std::move(reply));
      }
      poke();
    }
  }

  std::optional<HttpReply> reply_to(const Connection& connection) noexcept {
    const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - connection.asked);
    try {
      return handler_(connection.request, waited);
    } catch (const std::bad_alloc&) {
      return HttpReply{503, "application/json", R"({"error":"not enough memory"})", false};
    } catch (const std::exception& error) {
      try {
        return error_reply(503, error.what());
      } catch (...) {
        return HttpReply{503, "application/json", "{}", false};
      }
    }
  }

  // --- the thread that waits for sockets ---------------------------------------------------------------------------

  void run() {
    std::vector<pollfd> polled;
    std::vector<Place> places;
    while (!stopped()) {
      polled.assign({{listener_.get(), POLLIN, 0}, {pipe_[0].get(), POLLIN, 0}});
      places.clear();
      for (auto it = connections_.begin(); it != connections_.end(); ++it) {
        if (it->gone) continue;
        const auto stage = it->stage;
        // Of one that waits for its reply only the end is looked for.
        const bool reads = stage == Connection::Stage::reading || stage == Connection::Stage::ending;
        const short events = stage == Connection::Stage::writing ? POLLOUT : reads ? POLLIN : short{0};
        polled.push_back({it->socket.get(), events, 0});
        places.push_back(it);
      }
      ::poll(polled.data(), polled.size(), static_cast<int>(tick.count()));
      if ((polled[1].revents & POLLIN) != 0) drain_pipe();
      take_finished();
      for (std::size_t k = 0; k < places.size(); ++k) serve(places[k], polled[k + 2].revents);
      if ((polled[0].revents & POLLIN) != 0) accept_all();
      ask_again();
      check_deadlines();
      remove_gone();
    }
  }

  bool stopped() {
    const std::lock_guard lock(mutex_);
    return stop_;
  }

  void drain_pipe() {
    char bytes[256];
    while (::read(pipe_[0].get(), bytes, sizeof bytes) > 0) {}
  }

  void accept_all() {
    for (int k = 0; k < accepted_at_once; ++k) {
      const int descriptor = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (descriptor < 0) return;
      const int yes = 1;
      ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      make_room(false);
      connections_.emplace_back(descriptor);
      ++count_;
      read(connections_.back());  // the request is often there already
    }
  }

  // The longest silent one of its kind gives way; one whose request is being answered only if all are.
  void make_room(bool friends) {
    int others = 0;
    Connection* oldest = nullptr;
    const auto waits = [](const Connection& c) { return c.stage == Connection::Stage::reading; };
    for (Connection& each : connections_) {
      if (each.gone || each.is_friend != friends) continue;
      ++others;
      if (oldest == nullptr || (waits(each) && !waits(*oldest)) ||
          (waits(each) == waits(*oldest) && each.since < oldest->since))
        oldest = &each;
    }
    if (others >= (friends ? options_.friends : options_.strangers)) close(*oldest);
  }

  void close(Connection& connection) {
    if (connection.gone) return;
    connection.gone = true;
    ::shutdown(connection.socket.get(), SHUT_RDWR);
    pending_ -= connection.left();
    connection.head.clear();
    connection.body.clear();
    connection.sent = 0;
    --count_;
  }

  // A connection that a thread works for stays in the list until that is done.
  void remove_gone() {
    connections_.remove_if([](const Connection& c) { return c.gone && c.stage != Connection::Stage::working; });
  }

  void serve(Place place, short events) {
    Connection& connection = *place;
    if (connection.gone || events == 0) return;
    if ((events & (POLLERR | POLLNVAL)) != 0) return close(connection);
    if (connection.stage == Connection::Stage::reading)
      read(connection);
    else if (connection.stage == Connection::Stage::writing)
      write(connection);
    else if (connection.stage == Connection::Stage::ending)
      discard(connection);
    else if ((events & POLLHUP) != 0)
      close(connection);
  }

  // What comes behind the last request; closing at once would take the reply from the client.
  void discard(Connection& connection) {
    char bytes[16 * 1024];
    if (::recv(connection.socket.get(), bytes, sizeof bytes, 0) == 0) close(connection);
  }

  void read(Connection& connection) {
    char bytes[16 * 1024];
    const auto count = ::recv(connection.socket.get(), bytes, sizeof bytes, 0);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
      return close(connection);
    if (count < 0) return;
    if (connection.input.empty()) connection.since = Clock::now();
    connection.input.append(bytes, count);
    take_request(connection);
  }

  void take_request(Connection& connection) {
    HttpParse parse = parse_request(connection.input);
    if (parse.state == HttpParse::State::incomplete) return;
    if (parse.state == HttpParse::State::refused) {
      connection.ends = true;
      connection.input.clear();
      return begin_reply(connection, error_reply(parse.status, parse.reason));
    }
    connection.input.erase(0, parse.used);
    connection.request = std::move(parse.request);
    connection.ends = !connection.request.keep_alive || ++connection.requests >= options_.requests;
    connection.asked = Clock::now();
    hand_over(connection);
  }

  void hand_over(Connection& connection) {
    connection.since = Clock::now();
    connection.stage = pending_ < options_.pending ? Connection::Stage::working : Connection::Stage::waiting;
    if (connection.stage == Connection::Stage::waiting) return;
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(&connection);
    }
    work_waits_.notify_one();
  }

  void ask_again() {
    const bool news = news_.exchange(false);
    const auto now = Clock::now();
    for (Connection& connection : connections_)
      if (!connection.gone && connection.stage == Connection::Stage::waiting &&
          (news || now - connection.since >= tick))
        hand_over(connection);
  }

  void take_finished() {
    std::vector<std::pair<Connection*, std::optional<HttpReply>>> finished;
    {
      const std::lock_guard lock(mutex_);
      finished.swap(finished_);
    }
    for (auto& [connection, reply] : finished) {
      connection->stage = Connection::Stage::waiting;
      if (connection->gone || !reply) continue;
      if (reply->trusted && !connection->is_friend) {
        make_room(true);
        connection->is_friend = true;
      }
      begin_reply(*connection, std::move(*reply));
    }
  }

  void begin_reply(Connection& connection, HttpReply reply) {
    connection.stage = Connection::Stage::writing;
    connection.since = Clock::now();
    connection.head = reply_head(reply, !connection.ends);
    connection.body = connection.request.method == "HEAD" || reply.status == 204 ? "" : std::move(reply.body);
    connection.sent = 0;
    pending_ += connection.left();
    write(connection);
  }

  void write(Connection& connection) {
    while (connection.left() > 0) {
      const bool in_head = connection.sent < connection.head.size();
      const std::string& part = in_head ? connection.head : connection.body;
      const std::size_t at = in_head ? connection.sent : connection.sent - connection.head.size();
      const auto count = ::send(connection.socket.get(), part.data() + at, part.size() - at, MSG_NOSIGNAL);
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
      if (count <= 0) return close(connection);
      connection.sent += static_cast<std::size_t>(count);
      pending_ -= static_cast<std::size_t>(count);
      connection.since = Clock::now();
    }
    ++served_;
    std::string().swap(connection.body);
    connection.head.clear();
    connection.sent = 0;
    if (connection.ends) {
      connection.stage = Connection::Stage::ending;
      ::shutdown(connection.socket.get(), SHUT_WR);
      return;
    }
    connection.stage = Connection::Stage::reading;
    if (!connection.input.empty()) take_request(connection);
  }

  void check_deadlines() {
    const auto now = Clock::now();
    for (Connection& connection : connections_) {
      if (connection.gone) continue;
      const auto silent = now - connection.since;
      const bool idle = connection.input.empty() && connection.is_friend;
      if (connection.stage == Connection::Stage::reading && silent > (idle ? options_.idle_time : options_.head_time))
        close(connection);
      if (connection.stage == Connection::Stage::writing && silent > options_.write_time) close(connection);
      if (connection.stage == Connection::Stage::ending && silent > farewell) close(connection);
    }
  }

  Handler handler_;
  HttpServerOptions options_;
  Descriptor listener_;
  std::vector<Descriptor> pipe_;
  std::list<Connection> connections_;  // of the loop's thread only
  std::size_t pending_ = 0;            // bytes of replies
  std::atomic<int> count_ = 0;
  std::atomic<long> served_ = 0;
  std::atomic<bool> news_ = false;

  std::mutex mutex_;
  std::condition_variable work_waits_;
  bool stop_ = false;
  std::deque<Connection*> jobs_;
  std::vector<std::pair<Connection*, std::optional<HttpReply>>> finished_;
  std::vector<std::thread> workers_;
  std::thread loop_;
};

HttpServer::HttpServer(Handler handler, const HttpServerOptions& options)
    : loop_(std::make_unique<Loop>(std::move(handler), options)) {}
HttpServer::~HttpServer() = default;
int HttpServer::port() const { return loop_->port(); }
void HttpServer::wake() { loop_->wake(); }
int HttpServer::connections() const { return loop_->connections(); }
long HttpServer::served() const { return loop_->served(); }

}  // namespace livens
