// A client of the viewer's server, as bare as a socket.
#pragma once

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace livens::testing {

struct Answer {
  int status = 0;  // 0: the connection ended without one
  std::string head, body;
};

class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(socket_); }

  bool send(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const auto count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }
  void end_sending() { ::shutdown(socket_, SHUT_WR); }

  // Appends to `input`; false at the end of the connection, or if nothing comes for so long.
  bool receive(int milliseconds = 30000) {
    pollfd polled{socket_, POLLIN, 0};
    if (::poll(&polled, 1, milliseconds) <= 0) {
      timed_out = true;
      return false;
    }
    char bytes[65536];
    const auto count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    input.append(bytes, count);
    return true;
  }

  Answer answer(bool has_body = true) {
    while (input.find("\r\n\r\n") == std::string::npos)
      if (!receive()) return {};
    Answer answer;
    const std::size_t end = input.find("\r\n\r\n") + 4;
    answer.head = input.substr(0, end);
    answer.status = std::atoi(answer.head.c_str() + 9);
    const std::size_t at = answer.head.find("Content-Length: ");
    const std::size_t length =
        has_body && at != std::string::npos ? std::strtoul(answer.head.c_str() + at + 16, nullptr, 10) : 0;
    while (input.size() < end + length)
      if (!receive()) return {};
    answer.body = input.substr(end, length);
    input.erase(0, end + length);
    return answer;
  }

  // Reads until the other side ends the connection; false if it does not.
  bool ends(int milliseconds = 30000) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (std::chrono::steady_clock::now() < until)
      if (!receive(milliseconds)) return !timed_out;
    return false;
  }

  std::string input;
  bool connected = false, timed_out = false;

 private:
  int socket_;
};

}  // namespace livens::testing
