#pragma once

#include <QByteArray>
#include <utility>
#include <vector>

#include "ui/web/http_request.h"

namespace kernelscape::web {

/** A response with a page. */
struct HttpResponse {
  HttpStatus status = HttpStatus::Ok;
  QByteArray page = {};  ///< HTML in UTF-8; empty with SeeOther and NotModified
  std::vector<std::pair<QByteArray, QByteArray>> fields = {};  ///< additional fields, such as ETag
};

/** Returns the reason phrase of a status: "Not Found". */
QByteArray reason_phrase(HttpStatus status);

/**
 * Returns a response as it is sent: without storing in caches, and with a policy that lets the browser load
 * nothing and run no script except page_script(). The connection is closed behind it.
 * @param head_only the request was HEAD: the page is left out, but its length is named
 */
QByteArray to_bytes(const HttpResponse& response, bool head_only);

}  // namespace kernelscape::web
