#pragma once

#include <QByteArray>
#include <cstdint>
#include <filesystem>
#include <string>

#include "ui/web/page_cache.h"
#include "ui/web/server.h"

namespace kernelscape::web {

/**
 * The pages of a database: "/" lists sessions and studies, "/session/3" and "/study/2" show one. Only whoever
 * knows the token gets a page: the first request names it in its query, and gets it as a cookie. Nothing can
 * be changed. Lives on the window's thread.
 */
class Site {
 public:
  /**
   * @param token a random text of letters and digits
   * @param port of the server; part of the cookie's name, since browsers send a cookie to every port
   */
  Site(std::filesystem::path database, std::string token, std::uint16_t port);

  /** Responds to a request, at once or when the page was read. */
  void handle(const HttpRequest& request, const Server::Respond& respond);

 private:
  bool has_cookie(const HttpRequest& request) const;
  HttpResponse redirect(const HttpRequest& request) const;

  std::filesystem::path database_;
  std::string token_;
  std::string cookie_name_;
  PageCache cache_;
};

}  // namespace kernelscape::web
