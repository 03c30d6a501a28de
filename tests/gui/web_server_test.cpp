#include <QApplication>
#include <QCryptographicHash>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/gui/web_client.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/web/page.h"
#include "ui/web/server.h"

namespace kernelscape::web_server_test {
namespace {

using web::HttpRequest;
using web::HttpStatus;
using web_tests::Answer;
using web_tests::ask;
using web_tests::Client;
using web_tests::get;

constexpr int patience_milliseconds = Client::patience_milliseconds;

/** Responds to each request with its path. */
void answer_path(const HttpRequest& request, const web::Server::Respond& respond) {
  respond({HttpStatus::Ok, QByteArray::fromStdString(request.path)});
}

HttpStatus refusal_of(const std::string& bytes) {
  const web::ParsedRequest request = web::parse_http_request(bytes);
  return request ? HttpStatus::Ok : request.error();
}

}  // namespace

/** The server alone: what it reads, what it refuses, and what limits it has. */
class WebServerTest : public QObject {
  Q_OBJECT

 private slots:
  void a_request_is_read_wherever_it_is_split();
  void what_is_no_request_is_refused();
  void mutated_requests_are_refused_or_read();
  void only_names_of_this_machine_are_served();
  void values_are_found_by_their_names();
  void a_request_may_arrive_byte_by_byte();
  void slow_and_large_requests_are_refused();
  void connections_are_limited();
  void a_client_may_leave_before_the_response();
  void responses_forbid_what_pages_do_not_need();
  void a_head_request_gets_no_page();
  void a_taken_port_is_named();
};

void WebServerTest::a_request_is_read_wherever_it_is_split() {
  const std::string bytes =
      "GET /session/3?token=abc HTTP/1.1\r\nhOST:  localhost:80 \r\nCookie: a=1\r\nCookie: b=2\r\n"
      "If-None-Match: \"x\"\r\nContent-Length: 0\r\n\r\n";
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const web::ParsedRequest part = web::parse_http_request(bytes.substr(0, length));
    QVERIFY2(part && !*part, bytes.substr(0, length).c_str());
  }
  const web::ParsedRequest request = web::parse_http_request(bytes + "further bytes");
  QVERIFY(request && *request);
  QCOMPARE((*request)->method, std::string("GET"));
  QCOMPARE((*request)->path, std::string("/session/3"));
  QCOMPARE((*request)->query, std::string("token=abc"));
  QCOMPARE((*request)->host, std::string("localhost:80"));
  QCOMPARE((*request)->cookie, std::string("a=1;b=2"));
  QCOMPARE((*request)->if_none_match, std::string("\"x\""));
}

void WebServerTest::what_is_no_request_is_refused() {
  const std::string rest = " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  QCOMPARE(refusal_of(head + "\r\n"), HttpStatus::Ok);
  for (const std::string& bytes :
       {"GET" + rest, "GET  /" + rest, "GET x" + rest, "GET http://localhost/" + rest, "G T /" + rest,
        "GET /\xc3\xa4" + rest, std::string("GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
        std::string("GET /\r\n\r\n"), std::string("\x16\x03\x01\x02"), std::string("GET /\x7f"),
        std::string("GET / HTTP/1.1\r\n\r\n"), head + "Host: localhost\r\n\r\n", head + " folded: 1\r\n\r\n",
        head + "no colon\r\n\r\n", head + "blank : 1\r\n\r\n", head + ": 1\r\n\r\n",
        head + "bare: line\nfeed\r\n\r\n", head + "bare: carriage\rreturn\r\n\r\n"})
    QCOMPARE(refusal_of(bytes), HttpStatus::BadRequest);
  for (const char* field : {"Content-Length: 5", "Content-Length: 00", "Transfer-Encoding: chunked"})
    QCOMPARE(refusal_of(head + field + "\r\n\r\n"), HttpStatus::ContentTooLarge);
  QCOMPARE(refusal_of("GET / HTTP/2.0\r\n\r\n"), HttpStatus::VersionNotSupported);
  QCOMPARE(refusal_of("GET /" + std::string(web::max_head_bytes, 'a')), HttpStatus::HeadTooLarge);
  std::string many = head;
  for (std::size_t field = 0; field < web::max_fields; ++field) many += "a: 1\r\n";
  QCOMPARE(refusal_of(many + "\r\n"), HttpStatus::HeadTooLarge);
}

void WebServerTest::mutated_requests_are_refused_or_read() {
  std::mt19937_64 random(testing::random_seed());
  const std::string sound = get("/study/12?token=0", "Cookie: a=b\r\n").toStdString();
  int read = 0;
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = sound;
    for (std::uint64_t change = 1 + random() % 3; change > 0; --change)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const web::ParsedRequest request = web::parse_http_request(bytes);
    if (!request) {
      ++refused;
    } else if (*request) {
      ++read;
      QVERIFY2((*request)->path.starts_with('/') && !(*request)->path.contains('?'), bytes.c_str());
      QVERIFY2(!(*request)->method.empty() && !(*request)->host.contains('\n'), bytes.c_str());
    }
  }
  QVERIFY(read > 0 && refused > 0);
}

void WebServerTest::only_names_of_this_machine_are_served() {
  for (const char* host : {"127.0.0.1", "localhost", "LocalHost:8000", "127.0.0.1:80", "[::1]", "[::1]:80"})
    QVERIFY2(web::is_loopback_host(host), host);
  for (const char* host :
       {"", ":80", "example.org", "example.org:8000", "127.0.0.1.example.org", "127.0.0.2", "localhost.",
        "localhost:80:80", "localhost:a", "[::1", "::1", "0.0.0.0", "user@localhost"})
    QVERIFY2(!web::is_loopback_host(host), host);
}

void WebServerTest::values_are_found_by_their_names() {
  QCOMPARE(web::find_value("a=1&token=xy&token=z", '&', "token").value(), std::string_view("xy"));
  QCOMPARE(web::find_value(" a=1; b=2=3", ';', "b").value(), std::string_view("2=3"));
  QCOMPARE(web::find_value("token", '&', "token").value(), std::string_view());
  QVERIFY(!web::find_value("xtoken=1&tokenx=2", '&', "token"));
  QVERIFY(!web::find_value("", '&', "token"));
}

void WebServerTest::a_request_may_arrive_byte_by_byte() {
  web::Server server(answer_path);
  QVERIFY(server.listen(0));
  QVERIFY(server.port() != 0);
  Client client(server.port());
  for (const char byte : get("/some/path")) client.send(QByteArray(1, byte));
  const Answer answer = client.answer();
  QCOMPARE(answer.status, 200);
  QCOMPARE(answer.page, QByteArray("/some/path"));
}

void WebServerTest::slow_and_large_requests_are_refused() {
  web::Server server(answer_path, {.request_time = std::chrono::milliseconds(50)});
  QVERIFY(server.listen(0));
  Client slow(server.port());
  slow.send("GET / HTTP/1.1\r\nHost");
  QCOMPARE(slow.answer().status, 408);
  web::Server patient(answer_path);
  QVERIFY(patient.listen(0));
  QCOMPARE(ask(patient.port(), "GET /" + QByteArray(100'000, 'a')).status, 431);
  QCOMPARE(ask(patient.port(), "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n123456789").status,
           413);
  QCOMPARE(ask(patient.port(), QByteArray("\x16\x03\x01\x00\xa5", 5)).status, 400);
  // The server serves others meanwhile, and afterwards.
  QCOMPARE(ask(patient.port(), get("/next")).page, QByteArray("/next"));
}

void WebServerTest::connections_are_limited() {
  constexpr int max_connections = 3;
  web::Server server(answer_path, {.max_connections = max_connections});
  QVERIFY(server.listen(0));
  std::vector<std::unique_ptr<Client>> clients;
  for (int number = 0; number < max_connections; ++number)
    clients.push_back(std::make_unique<Client>(server.port()));
  QTRY_COMPARE_WITH_TIMEOUT(server.connections(), max_connections, patience_milliseconds);
  const Answer refused = ask(server.port(), get("/"));
  QCOMPARE(refused.status, 503);
  QVERIFY(refused.page.contains("too many connections"));
  // Those that are open are served, and make room for others.
  clients.front()->send(get("/first"));
  QCOMPARE(clients.front()->answer().page, QByteArray("/first"));
  for (const auto& client : clients) client->leave();
  QTRY_COMPARE_WITH_TIMEOUT(server.connections(), 0, patience_milliseconds);
  QCOMPARE(ask(server.port(), get("/again")).page, QByteArray("/again"));
}

void WebServerTest::a_client_may_leave_before_the_response() {
  std::vector<web::Server::Respond> waiting;
  web::Server server(
      [&](const HttpRequest&, const web::Server::Respond& respond) { waiting.push_back(respond); });
  QVERIFY(server.listen(0));
  Client leaving(server.port());
  leaving.send(get("/"));
  QTRY_COMPARE_WITH_TIMEOUT(waiting.size(), std::size_t{1}, patience_milliseconds);
  leaving.leave();
  QTRY_COMPARE_WITH_TIMEOUT(server.connections(), 0, patience_milliseconds);
  waiting.front()({HttpStatus::Ok, "late"});
  Client staying(server.port());
  staying.send(get("/"));
  QTRY_COMPARE_WITH_TIMEOUT(waiting.size(), std::size_t{2}, patience_milliseconds);
  waiting.back()({HttpStatus::Ok, "in time"});
  waiting.back()({HttpStatus::Ok, "twice"});
  QCOMPARE(staying.answer().page, QByteArray("in time"));
}

void WebServerTest::responses_forbid_what_pages_do_not_need() {
  web::Server server(answer_path);
  QVERIFY(server.listen(0));
  QVERIFY(!web::page_script().isEmpty());
  const QByteArray script =
      QCryptographicHash::hash(web::page_script(), QCryptographicHash::Sha256).toBase64();
  for (const QByteArray& request : {get("/"), QByteArray("nonsense\r\n\r\n")}) {
    const Answer answer = ask(server.port(), request);
    const QByteArray policy = answer.field("Content-Security-Policy");
    QVERIFY2(policy.startsWith("default-src 'none';"), policy.constData());
    QVERIFY2(policy.contains("script-src 'sha256-" + script + "';"), policy.constData());
    QVERIFY2(policy.contains("frame-ancestors 'none'"), policy.constData());
    QCOMPARE(answer.field("Cache-Control"), QByteArray("no-store"));
    QCOMPARE(answer.field("X-Content-Type-Options"), QByteArray("nosniff"));
    QCOMPARE(answer.field("Referrer-Policy"), QByteArray("no-referrer"));
    QCOMPARE(answer.field("Connection"), QByteArray("close"));
    QCOMPARE(answer.field("Content-Type"), QByteArray("text/html; charset=utf-8"));
  }
}

void WebServerTest::a_head_request_gets_no_page() {
  web::Server server(answer_path);
  QVERIFY(server.listen(0));
  const Answer answer = ask(server.port(), "HEAD /head HTTP/1.1\r\nHost: localhost\r\n\r\n", true);
  QCOMPARE(answer.status, 200);
  QCOMPARE(answer.field("Content-Length"), QByteArray("5"));
  QCOMPARE(answer.page, QByteArray());
}

void WebServerTest::a_taken_port_is_named() {
  web::Server first(answer_path);
  QVERIFY(first.listen(0));
  web::Server second(answer_path);
  const Status taken = second.listen(first.port());
  QVERIFY(!taken);
  QVERIFY2(taken.error().message.contains(std::to_string(first.port())), taken.error().message.c_str());
  QVERIFY2(taken.error().hint.contains("--port 0"), taken.error().hint.c_str());
  QVERIFY(second.listen(0));
}

KERNELSCAPE_TEST(WebServerTest, QApplication)

}  // namespace kernelscape::web_server_test
#include "web_server_test.moc"
