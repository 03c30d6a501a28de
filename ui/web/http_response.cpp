#include "ui/web/http_response.h"

#include <QCryptographicHash>

#include "ui/web/page.h"

namespace kernelscape::web {
namespace {

/**
 * Returns the content security policy: styles are part of pages, the only script is known by its hash, and
 * it may only ask this server.
 */
QByteArray content_security_policy() {
  const QByteArray hash = QCryptographicHash::hash(page_script(), QCryptographicHash::Sha256).toBase64();
  return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" + hash +
         "'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

void append_field(QByteArray& head, const QByteArray& name, const QByteArray& value) {
  head += name + ": " + value + "\r\n";
}

}  // namespace

QByteArray reason_phrase(HttpStatus status) {
  switch (status) {
    case HttpStatus::Ok:
      return "OK";
    case HttpStatus::SeeOther:
      return "See Other";
    case HttpStatus::NotModified:
      return "Not Modified";
    case HttpStatus::BadRequest:
      return "Bad Request";
    case HttpStatus::Forbidden:
      return "Forbidden";
    case HttpStatus::NotFound:
      return "Not Found";
    case HttpStatus::MethodNotAllowed:
      return "Method Not Allowed";
    case HttpStatus::RequestTimeout:
      return "Request Timeout";
    case HttpStatus::ContentTooLarge:
      return "Content Too Large";
    case HttpStatus::HeadTooLarge:
      return "Request Header Fields Too Large";
    case HttpStatus::InternalError:
      return "Internal Server Error";
    case HttpStatus::Unavailable:
      return "Service Unavailable";
    case HttpStatus::VersionNotSupported:
      return "HTTP Version Not Supported";
  }
  return {};
}

QByteArray to_bytes(const HttpResponse& response, bool head_only) {
  static const QByteArray policy = content_security_policy();
  QByteArray bytes = "HTTP/1.1 " + QByteArray::number(static_cast<int>(response.status)) + ' ' +
                     reason_phrase(response.status) + "\r\n";
  for (const auto& [name, value] : response.fields) append_field(bytes, name, value);
  append_field(bytes, "Content-Security-Policy", policy);
  append_field(bytes, "Cache-Control", "no-store");
  append_field(bytes, "Cross-Origin-Opener-Policy", "same-origin");
  append_field(bytes, "Cross-Origin-Resource-Policy", "same-origin");
  append_field(bytes, "Referrer-Policy", "no-referrer");
  append_field(bytes, "X-Content-Type-Options", "nosniff");
  append_field(bytes, "Connection", "close");
  if (response.status != HttpStatus::NotModified) {
    append_field(bytes, "Content-Type", "text/html; charset=utf-8");
    append_field(bytes, "Content-Length", QByteArray::number(response.page.size()));
  }
  bytes += "\r\n";
  if (!head_only) bytes += response.page;
  return bytes;
}

}  // namespace kernelscape::web
