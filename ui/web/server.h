#pragma once

#include <QObject>
#include <QTcpServer>
#include <chrono>
#include <cstdint>
#include <functional>

#include "core/base/result.h"
#include "ui/web/http_response.h"

namespace kernelscape::web {

/** Limits of what a client can take from the server. */
struct ServerLimits {
  int max_connections = 64;
  std::chrono::milliseconds request_time{10'000};   ///< until a request is complete
  std::chrono::milliseconds response_time{30'000};  ///< until a response was read
};

/**
 * An HTTP server on 127.0.0.1 for pages, without TLS, content of requests and persistent connections. Used
 * instead of Qt HTTP Server, which in Debian 12 (Qt 6.4) is a preview without limits of size, time and
 * connections. Lives on the window's thread.
 */
class Server : public QObject {
  Q_OBJECT

 public:
  /** Sends a response; has no effect if the client has gone, or the second time. */
  using Respond = std::function<void(const HttpResponse& response)>;
  /** Answers a request, at once or later, on the window's thread. */
  using Handler = std::function<void(const HttpRequest& request, Respond respond)>;

  explicit Server(Handler handler, const ServerLimits& limits = {}, QObject* parent = nullptr);

  /**
   * Starts to accept connections of this machine. Returns Environment if the port can't be used.
   * @param port 0: any free port
   */
  Status listen(std::uint16_t port);
  std::uint16_t port() const { return server_.serverPort(); }  ///< the port in use; 0: not listening
  int connections() const { return connections_; }             ///< number of open connections

 private:
  void accept();

  Handler handler_;
  ServerLimits limits_;
  int connections_ = 0;
  QTcpServer server_;
};

}  // namespace kernelscape::web
