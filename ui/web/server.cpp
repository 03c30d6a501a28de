#include "ui/web/server.h"

#include <fmt/format.h>

#include <QHostAddress>
#include <QPointer>
#include <QTcpSocket>
#include <QTimer>
#include <string_view>
#include <utility>

#include "ui/web/page.h"

namespace kernelscape::web {
namespace {

/** Time for a client to send the rest of a refused request: closing earlier would discard the response. */
constexpr std::chrono::milliseconds refused_time{2'000};
/** Maximum number of bytes of a refused request that are read and dropped. */
constexpr qint64 max_dropped_bytes = 1 << 20;

/** Returns what to do about a request that was refused before it reached a page. */
QString refusal_text(HttpStatus status) {
  switch (status) {
    case HttpStatus::RequestTimeout:
      return QStringLiteral("The request was not complete in time. Load the page again.");
    case HttpStatus::ContentTooLarge:
      return QStringLiteral("Pages are read only: requests must not have content.");
    case HttpStatus::HeadTooLarge:
      return QStringLiteral("The request is too large. Delete the cookies of 127.0.0.1, and try again.");
    case HttpStatus::Unavailable:
      return QStringLiteral("There are too many connections. Close other pages, and load this one again.");
    default:
      return QStringLiteral("This is not a request of HTTP/1.1. Open the address in a browser.");
  }
}

HttpResponse refusal(HttpStatus status) {
  return {status, message_page(QString::fromLatin1(reason_phrase(status)), refusal_text(status))};
}

/** One connection, which serves one request and is then closed. */
class Connection : public QObject {
 public:
  Connection(QTcpSocket* socket, const Server::Handler& handler, const ServerLimits& limits, QObject* parent)
      : QObject(parent), socket_(socket), handler_(handler), limits_(limits) {
    socket_->setParent(this);
    // Bytes beyond the limit stay in the system's buffer, which stops the client.
    socket_->setReadBufferSize(static_cast<qint64>(max_head_bytes));
    connect(socket_, &QTcpSocket::readyRead, this, [this] { read(); });
    connect(socket_, &QTcpSocket::disconnected, this, &QObject::deleteLater);
    deadline_.setSingleShot(true);
    connect(&deadline_, &QTimer::timeout, this, [this] { end_wait(); });
    deadline_.start(limits_.request_time);
    if (socket_->state() != QAbstractSocket::ConnectedState) deleteLater();
  }

  /** Sends a response to a request that was not read completely. */
  void refuse(HttpStatus status) {
    if (std::exchange(state_, State::Refused) == State::Refused) return;
    socket_->write(to_bytes(refusal(status), false));
    deadline_.start(refused_time);
  }

 private:
  enum class State { Reading, Answering, Sending, Refused };

  void read() {
    const QByteArray arrived = socket_->readAll();
    if (state_ != State::Reading) {
      dropped_bytes_ += arrived.size();
      if (dropped_bytes_ > max_dropped_bytes) socket_->abort();
      return;
    }
    bytes_ += arrived;
    const ParsedRequest request =
        parse_http_request({bytes_.constData(), static_cast<std::size_t>(bytes_.size())});
    if (!request) return refuse(request.error());
    if (!*request) return;
    state_ = State::Answering;
    deadline_.stop();
    const bool head_only = (*request)->method == "HEAD";
    handler_(**request, [self = QPointer<Connection>(this), head_only](const HttpResponse& response) {
      if (self) self->send(response, head_only);
    });
  }

  void send(const HttpResponse& response, bool head_only) {
    if (std::exchange(state_, State::Sending) != State::Answering) return;
    deadline_.start(limits_.response_time);
    socket_->write(to_bytes(response, head_only));
    socket_->disconnectFromHost();
  }

  void end_wait() {
    if (state_ == State::Reading) return refuse(HttpStatus::RequestTimeout);
    socket_->abort();
  }

  QTcpSocket* socket_;
  const Server::Handler& handler_;
  const ServerLimits& limits_;
  State state_ = State::Reading;
  QByteArray bytes_;
  qint64 dropped_bytes_ = 0;
  QTimer deadline_;
};

}  // namespace

Server::Server(Handler handler, const ServerLimits& limits, QObject* parent)
    : QObject(parent), handler_(std::move(handler)), limits_(limits) {
  connect(&server_, &QTcpServer::newConnection, this, &Server::accept);
}

Status Server::listen(std::uint16_t port) {
  if (server_.listen(QHostAddress(QHostAddress::LocalHost), port)) return {};
  return fail(ErrorCode::Environment,
              fmt::format("cannot serve pages on port {} of 127.0.0.1: {}", port,
                          server_.errorString().toStdString()),
              "pass another port, or --port 0 for any free one");
}

void Server::accept() {
  while (QTcpSocket* socket = server_.nextPendingConnection()) {
    const bool full = connections_ >= limits_.max_connections;
    // Refused connections would not be limited if they waited for their clients.
    if (full && connections_ >= 2 * limits_.max_connections) {
      socket->abort();
      socket->deleteLater();
      continue;
    }
    auto* connection = new Connection(socket, handler_, limits_, this);
    ++connections_;
    connect(connection, &QObject::destroyed, this, [this] { --connections_; });
    if (full) connection->refuse(HttpStatus::Unavailable);
  }
}

}  // namespace kernelscape::web
