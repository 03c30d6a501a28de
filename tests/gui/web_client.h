#pragma once

#include <QByteArray>
#include <QHostAddress>
#include <QTcpSocket>
#include <QTest>
#include <cstdint>
#include <optional>

namespace kernelscape::web_tests {

/** A response of an HTTP server. */
struct Answer {
  int status = 0;  ///< 0: none came
  QByteArray head;
  QByteArray page;

  /** The value of a field; empty: it is missing. */
  QByteArray field(const QByteArray& name) const {
    const qsizetype start = head.indexOf("\r\n" + name + ": ");
    if (start < 0) return {};
    const qsizetype value = start + name.size() + 4;
    return head.mid(value, head.indexOf("\r\n", value) - value);
  }
};

/** A connection whose bytes the test chooses; the server may run in the same thread. */
class Client {
 public:
  static constexpr int patience_milliseconds = 60'000;

  explicit Client(std::uint16_t port) { socket_.connectToHost(QHostAddress(QHostAddress::LocalHost), port); }

  void send(const QByteArray& bytes) {
    if (wait([this] { return socket_.state() == QAbstractSocket::ConnectedState; })) socket_.write(bytes);
    wait([this] { return socket_.bytesToWrite() == 0 || closed(); });
  }

  /** Waits for a response. @param to_head it has no page, whatever length it names */
  Answer answer(bool to_head = false) {
    wait([&] {
      bytes_ += socket_.readAll();
      return complete(to_head) || closed();
    });
    bytes_ += socket_.readAll();
    if (!complete(to_head)) return {};
    const qsizetype end = bytes_.indexOf("\r\n\r\n");
    return {bytes_.mid(9, 3).toInt(), bytes_.left(end + 2), bytes_.mid(end + 4)};
  }

  void leave() { socket_.abort(); }

 private:
  template <typename Holds>
  static bool wait(Holds holds) {
    return QTest::qWaitFor(holds, patience_milliseconds);
  }

  bool closed() const { return socket_.state() == QAbstractSocket::UnconnectedState; }

  bool complete(bool to_head) const {
    const qsizetype end = bytes_.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const QByteArray length = Answer{0, bytes_.left(end + 2), {}}.field("Content-Length");
    return to_head || bytes_.size() - end - 4 >= length.toLongLong();
  }

  QTcpSocket socket_;
  QByteArray bytes_;
};

/** Sends a request and waits for the response. */
inline Answer ask(std::uint16_t port, const QByteArray& request, bool to_head = false) {
  Client client(port);
  client.send(request);
  return client.answer(to_head);
}

/** A request of a browser. @param fields further ones, each with its line end */
inline QByteArray get(const QByteArray& target, const QByteArray& fields = {},
                      const QByteArray& host = "127.0.0.1") {
  return "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + fields + "\r\n";
}

}  // namespace kernelscape::web_tests
