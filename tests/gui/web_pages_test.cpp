#include <QApplication>
#include <QFile>
#include <QRegularExpression>
#include <array>
#include <optional>
#include <vector>

#include "core/base/media/html.h"
#include "tests/gui/study_gui_support.h"
#include "tests/gui/web_client.h"
#include "tests/store/damage_support.h"
#include "tests/test_program.h"
#include "ui/web/page.h"
#include "ui/web/server.h"
#include "ui/web/site.h"
#include "ui/workspace/source.h"

namespace kernelscape::web_pages_test {
namespace {

using web_tests::Answer;
using web_tests::Client;
using web_tests::get;

constexpr int patience_milliseconds = Client::patience_milliseconds;

/** A database and the pages that show it. */
class ServedDatabase {
 public:
  ServedDatabase() {
    if (!server_.listen(0)) qFatal("no port is free");
    site_.emplace(database.path(), token.toStdString(), server_.port());
  }

  /** Asks as a browser that was given the token. */
  Answer page(const QByteArray& target, const QByteArray& fields = {}) const {
    return ask(get(target, cookie() + fields));
  }
  Answer ask(const QByteArray& request) const { return web_tests::ask(server_.port(), request); }
  QByteArray cookie() const { return "Cookie: other=1; " + cookie_name() + '=' + token + "\r\n"; }
  QByteArray cookie_name() const { return "kernelscape-" + QByteArray::number(server_.port()); }
  store::Store store() const { return *store::Store::open(database.path()); }

  const gui_tests::Database database;
  const QByteArray token = "0123456789abcdef";

 private:
  std::optional<web::Site> site_;
  web::Server server_{[this](const web::HttpRequest& request, const web::Server::Respond& respond) {
    site_->handle(request, respond);
  }};
};

QByteArray session_path(store::SessionId id) { return "/session/" + QByteArray::number(id); }

/** As if this process went on with the session. */
void let_run(const ServedDatabase& served, store::SessionId id) {
  store::Store store = served.store();
  store::SessionStatus status = store.sessions().get(id)->status;
  status.state = store::SessionState::Running;
  QVERIFY(store.sessions().claim(id, store::Owner::this_process()));
  QVERIFY(store.sessions().update_status(id, status));
}

std::string coverage_of(const ServedDatabase& served, store::SessionId id) {
  const store::Store store = served.store();
  const std::string text = (*workspace::SourceReader(store, id).read())->coverage_text();
  return base::Html::text(text).text();
}

}  // namespace

/** The pages that browsers get: who gets them, what they show, and that they are live. */
class WebPagesTest : public QObject {
  Q_OBJECT

 private slots:
  void only_the_token_opens_a_page();
  void other_names_and_methods_are_refused();
  void no_other_address_has_a_page();
  void running_sessions_come_first();
  void a_session_page_shows_its_figures();
  void a_trial_of_another_connection_appears();
  void pages_of_an_older_database_are_live();
  void names_are_never_markup();
  void a_study_page_shows_its_verdicts();
  void a_deleted_session_is_not_found();
  void a_database_that_does_not_exist_yet_is_empty();
};

void WebPagesTest::only_the_token_opens_a_page() {
  const ServedDatabase served;
  QCOMPARE(served.ask(get("/")).status, 403);
  for (const QByteArray& wrong :
       {QByteArray("/?token="), QByteArray("/?token=0123456789abcdee"),
        QByteArray("/?token=0123456789abcdef0"), QByteArray("/?xtoken=0123456789abcdef")})
    QCOMPARE(served.ask(get(wrong)).status, 403);
  QCOMPARE(served.ask(get("/", "Cookie: " + served.cookie_name() + "=0123\r\n")).status, 403);
  QCOMPARE(served.ask(get("/", "Cookie: kernelscape-1=" + served.token + "\r\n")).status, 403);
  const Answer first = served.ask(get("/?token=" + served.token));
  QCOMPARE(first.status, 303);
  QCOMPARE(first.field("Location"), QByteArray("/"));
  const QByteArray cookie = first.field("Set-Cookie");
  QVERIFY2(cookie.startsWith(served.cookie_name() + '=' + served.token + ';'), cookie.constData());
  QVERIFY2(cookie.contains("HttpOnly") && cookie.contains("SameSite"), cookie.constData());
  QCOMPARE(served.page("/").status, 200);
}

void WebPagesTest::other_names_and_methods_are_refused() {
  const ServedDatabase served;
  QCOMPARE(served.ask(get("/", served.cookie(), "attacker.example")).status, 403);
  QCOMPARE(served.ask(get("/?token=" + served.token, {}, "attacker.example:80")).status, 403);
  QCOMPARE(served.ask(get("/", served.cookie(), "localhost:4000")).status, 200);
  for (const QByteArray& method : {QByteArray("POST"), QByteArray("DELETE"), QByteArray("OPTIONS")}) {
    const Answer answer =
        served.ask(method + " / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + served.cookie() + "\r\n");
    QCOMPARE(answer.status, 405);
    QCOMPARE(answer.field("Allow"), QByteArray("GET, HEAD"));
  }
}

void WebPagesTest::no_other_address_has_a_page() {
  const ServedDatabase served;
  served.database.add_session(3);
  for (const char* target :
       {"/../etc/passwd", "/session/../../etc/passwd", "/%2e%2e/etc/passwd", "//example.org", "/session/",
        "/session/0", "/session/01", "/session/-1", "/session/1/", "/session/%31", "/session/1x",
        "/session/99999999999999999999", "/study/", "/study/1.5", "/favicon.ico", "/session/77", "/study/77"})
    QVERIFY2(served.page(target).status == 404, target);
  // A token does not lead anywhere else.
  const Answer elsewhere = served.ask(get("//example.org?token=" + served.token));
  QCOMPARE(elsewhere.status, 404);
  QCOMPARE(elsewhere.field("Location"), QByteArray());
}

void WebPagesTest::running_sessions_come_first() {
  const ServedDatabase served;
  const store::SessionId older = served.database.add_session(12);
  const store::SessionId newer = served.database.add_session(7);
  const auto place = [](const Answer& list, store::SessionId id) {
    return list.page.indexOf("href=\"" + session_path(id) + '"');
  };
  const Answer ended = served.page("/");
  QVERIFY(place(ended, newer) > 0 && place(ended, newer) < place(ended, older));
  QVERIFY(!ended.page.contains("<progress"));
  let_run(served, older);
  Answer running;
  QTRY_VERIFY_WITH_TIMEOUT((running = served.page("/")).page.contains("<progress"), patience_milliseconds);
  QVERIFY(place(running, older) > 0 && place(running, older) < place(running, newer));
  QVERIFY(running.page.indexOf("<h2>Running</h2>") < place(running, older));
  QVERIFY(running.page.contains("12/12 trials") && running.page.contains(" left"));
}

void WebPagesTest::a_session_page_shows_its_figures() {
  const ServedDatabase served;
  const store::SessionId id = served.database.add_session(60);
  served.database.confirm(id);
  const Answer answer = served.page(session_path(id));
  QCOMPARE(answer.status, 200);
  const QString page = QString::fromUtf8(answer.page);
  QVERIFY(page.count(QStringLiteral("<svg ")) >= 4);
  for (const char* part : {"Speed of every trial", "Failures and time breakdown", "Best trials", "confirmed",
                           "oneDNN 2.6.3", "prefers-color-scheme: dark"})
    QVERIFY2(page.contains(QLatin1String(part)), part);
  QVERIFY(answer.page.contains(coverage_of(served, id).c_str()));
  // Nothing is loaded from anywhere, and the only script is the page's own.
  QVERIFY(!page.contains(QRegularExpression(QStringLiteral("\\s(src|srcset|on\\w+)=|@import|url\\("))));
  QCOMPARE(page.count(QStringLiteral("<script")), 1);
  QVERIFY(answer.page.contains("<script>" + web::page_script() + "</script>"));
}

void WebPagesTest::a_trial_of_another_connection_appears() {
  const ServedDatabase served;
  const store::SessionId id = served.database.add_session(20);
  const Answer first = served.page(session_path(id));
  const QByteArray etag = first.field("ETag");
  QVERIFY(etag.size() > 2);
  const QByteArray known = "If-None-Match: " + etag + "\r\n";
  const Answer unchanged = served.page(session_path(id), known);
  QCOMPARE(unchanged.status, 304);
  QCOMPARE(unchanged.page, QByteArray());
  QCOMPARE(unchanged.field("ETag"), etag);
  served.database.append_trials(id, 5);
  Answer changed;
  QTRY_COMPARE_WITH_TIMEOUT((changed = served.page(session_path(id), known)).status, 200,
                            patience_milliseconds);
  QVERIFY(changed.field("ETag") != etag);
  const std::string coverage = coverage_of(served, id);
  QVERIFY2(coverage.starts_with("25 of "), coverage.c_str());
  QVERIFY(changed.page.contains(coverage.c_str()) && !first.page.contains(coverage.c_str()));
}

void WebPagesTest::pages_of_an_older_database_are_live() {
  const ServedDatabase served;
  const store::SessionId id = served.database.add_session(20);
  QVERIFY(store_test::RawDatabase(served.database.path())
              .run(store_test::without_metrics + "PRAGMA user_version = 12"));
  std::vector<QByteArray> known;
  const std::array<QByteArray, 2> targets{"/", session_path(id)};
  for (const QByteArray& target : targets) {
    const Answer first = served.page(target);
    QCOMPARE(first.status, 200);
    known.push_back("If-None-Match: " + first.field("ETag") + "\r\n");
  }
  served.database.append_trials(id, 5);
  for (std::size_t i = 0; i < targets.size(); ++i)
    QTRY_COMPARE_WITH_TIMEOUT(served.page(targets[i], known[i]).status, 200, patience_milliseconds);
}

void WebPagesTest::names_are_never_markup() {
  const ServedDatabase served;
  const store::SessionId id = served.database.add_session(5);
  QVERIFY(
      served.store().sessions().set_name(id, "<script>alert(1)</script> \"><img src=x onerror=alert(2)>"));
  const store::StudyId study =
      gui_tests::add_study(served.database.path(), gui_tests::small_study("</title><b>&study"));
  for (const QByteArray& target : {QByteArray("/"), session_path(id)}) {
    const Answer answer = served.page(target);
    QCOMPARE(answer.status, 200);
    QVERIFY(answer.page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    QVERIFY(!answer.page.contains("<script>alert") && !answer.page.contains("<img"));
  }
  const Answer answer = served.page("/study/" + QByteArray::number(study));
  QCOMPARE(answer.status, 200);
  QVERIFY(answer.page.contains("<title>&lt;/title&gt;&lt;b&gt;&amp;study</title>"));
}

void WebPagesTest::a_study_page_shows_its_verdicts() {
  const ServedDatabase served;
  const store::StudyId study = gui_tests::add_study(served.database.path(), gui_tests::small_study());
  const QByteArray path = "/study/" + QByteArray::number(study);
  const Answer list = served.page("/");
  QVERIFY(list.page.contains("href=\"" + path + '"'));
  QVERIFY(list.page.contains("8 of 8 runs"));
  const Answer answer = served.page(path);
  QCOMPARE(answer.status, 200);
  for (const char* part :
       {"<h1>a small study</h1>", "Verdicts", "against grid", "<svg ", "8 of 8 runs are done"})
    QVERIFY2(answer.page.contains(part), part);
  QCOMPARE(served.page(path, "If-None-Match: " + answer.field("ETag") + "\r\n").status, 304);
  QVERIFY(!answer.page.contains("Running now"));
  // Its running sessions have pages of their own.
  const store::SessionId run = served.store().studies().runs(study)->back().session.value();
  let_run(served, run);
  const QByteArray link = "Running now: <a href=\"" + session_path(run) + "\">";
  QTRY_VERIFY_WITH_TIMEOUT(served.page(path).page.contains(link), patience_milliseconds);
  QCOMPARE(served.page(session_path(run)).status, 200);
}

void WebPagesTest::a_deleted_session_is_not_found() {
  const ServedDatabase served;
  const store::SessionId id = served.database.add_session(5);
  QCOMPARE(served.page(session_path(id)).status, 200);
  QVERIFY(served.store().sessions().remove(id));
  QTRY_COMPARE_WITH_TIMEOUT(served.page(session_path(id)).status, 404, patience_milliseconds);
}

void WebPagesTest::a_database_that_does_not_exist_yet_is_empty() {
  const ServedDatabase served;
  const Answer empty = served.page("/");
  QCOMPARE(empty.status, 200);
  QVERIFY(empty.page.contains("There is no session yet"));
  QVERIFY(!QFile::exists(QString::fromStdString(served.database.path().string())));
  const store::SessionId id = served.database.add_session(3);
  QTRY_VERIFY_WITH_TIMEOUT(served.page("/").page.contains("href=\"" + session_path(id) + '"'),
                           patience_milliseconds);
}

KERNELSCAPE_TEST(WebPagesTest, QApplication)

}  // namespace kernelscape::web_pages_test
#include "web_pages_test.moc"
