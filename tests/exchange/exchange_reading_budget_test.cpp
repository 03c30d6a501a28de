#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/exchange/import_json.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"
#include "core/exchange/reading_budget.h"
#include "core/exchange/text_cursor.h"
#include "core/space/search_space.h"
#include "tests/exchange/import_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_reading_budget_test {
using namespace kernelscape::exchange_tests;
using nlohmann::json;

namespace {

constexpr std::size_t piece_bytes = 256 * 1024;  // texts beyond it come in several pieces

/** Texts of letters of one to four bytes, quotes and line ends, which JSON has to escape. */
std::string random_text(base::Random& random, std::size_t letters) {
  const std::vector<std::string> alphabet{"a", "Z", "0", " ", "\"", "\\", "\n", "\t", "é", "€", "𝄞", "\x7f"};
  std::string text;
  for (std::size_t i = 0; i < letters; ++i) text += alphabet[random.below(alphabet.size())];
  return text;
}

json random_json(base::Random& random, int depth) {
  switch (random.below(depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return random.chance(0.5);
    case 2:
      return static_cast<std::int64_t>(random.bits());
    case 3:
      return random.bits();
    case 4:
      return random.uniform() * std::pow(10.0, static_cast<double>(random.below(40)) - 20);
    case 5:
      return random_text(random, random.below(40));
    case 6: {
      json list = json::array();
      for (std::uint64_t i = random.below(6); i > 0; --i) list.push_back(random_json(random, depth - 1));
      return list;
    }
    default: {
      json object = json::object();
      for (std::uint64_t i = random.below(6); i > 0; --i)
        object[random_text(random, random.below(20))] = random_json(random, depth - 1);
      return object;
    }
  }
}

/** Spaces and line ends as people have them, or none. */
std::string written(base::Random& random, const json& document) {
  return document.dump(random.chance(0.5) ? -1 : static_cast<int>(random.below(4)), ' ', random.chance(0.5));
}

/** The members of a document, each put together again of its entries. */
struct Gathered {
  json document;
  std::vector<exchange::TextPlace> places;
};

Result<Gathered> gathered(exchange::ImportText& text, const std::vector<std::vector<std::string>>& paths) {
  Gathered all;
  std::vector<json> parts(paths.size());
  std::vector<exchange::StreamedMember> members;
  for (std::size_t i = 0; i < paths.size(); ++i)
    members.push_back(
        {.path = paths[i], .visit = [&, i](const space::Json&, exchange::JsonEntry entry) -> Status {
           all.places.push_back(entry.place);
           if (entry.key.empty() && !parts[i].is_object())
             parts[i].push_back(entry.value.release());
           else
             parts[i][entry.key] = entry.value.release();
           return {};
         }});
  exchange::StreamedJson read = TRY(exchange::stream_import_json(text, members));
  for (std::size_t i = 0; i < paths.size(); ++i) {
    json* place = &*read.rest;
    for (const std::string& key : paths[i]) place = &(*place)[key];
    if (!parts[i].is_null()) *place = std::move(parts[i]);
  }
  all.document = read.rest.release();
  return all;
}

Result<Gathered> gathered(const std::string& bytes, const exchange::ReadingBudget& budget = {},
                          const std::vector<std::vector<std::string>>& paths = {}) {
  exchange::ImportText text("bytes", bytes, budget);
  return gathered(text, paths);
}

/** Where an offset is, counted in the plainest way. */
exchange::TextPlace place_of(const std::string& text, std::size_t offset) {
  exchange::TextPlace place;
  for (std::size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n')
      place = {place.line + 1, 1};
    else
      ++place.column;
  }
  return place;
}

bool refused(const std::string& error, const std::string& words) {
  if (error.contains(words)) return true;
  qWarning("\"%s\" is not in: %s", words.c_str(), error.substr(0, 300).c_str());
  return false;
}

}  // namespace

/** Texts that are read piece by piece, and what reading may take. */
class ExchangeReadingBudgetTest : public QObject {
  Q_OBJECT

 private slots:
  void texts_in_pieces_are_whole() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 12; ++round) {
      std::string text = random_text(random, 2 * piece_bytes / 3 + random.below(piece_bytes));
      if (random.chance(0.3)) text = std::string(piece_bytes - random.below(5), 'x') + text;
      QVERIFY(must(text_of_bytes(text)) == text);
      QVERIFY(must(text_of_bytes("\xef\xbb\xbf" + text)) == text);
      const std::size_t half = random.below(text.size());
      const std::string zeros(random.below(3) * 600, '\0');
      QVERIFY(must(text_of_bytes(gzipped(text.substr(0, half)) + gzipped(text.substr(half)) + zeros)) ==
              text);
      QVERIFY(!text_of_bytes(gzipped(text) + "more"));
    }
  }

  void bad_bytes_are_found_anywhere() {
    base::Random random(testing::random_seed());
    const std::string good = random_text(random, piece_bytes);
    for (const std::string& bad :
         {std::string("\0", 1), std::string("\x80"), std::string("\xff"), std::string("\xc0\xaf"),
          std::string("\xed\xa0\x80"), std::string("\xe2\x82(")}) {
      // Also where one piece ends and the next begins.
      for (const std::size_t offset :
           {std::size_t{0}, std::size_t{7}, piece_bytes - 2, piece_bytes - 1, piece_bytes, good.size() + 9}) {
        const std::string letters(offset, 'y');
        const std::string error = error_of(text_of_bytes(letters + bad + good));
        QVERIFY(refused(error, fmt::format("at offset {} is", offset)));
        QVERIFY(refused(error_of(text_of_bytes(letters + bad)), fmt::format("at offset {} is", offset)));
      }
    }
  }

  void lines_in_pieces_are_whole() {
    base::Random random(testing::random_seed());
    std::string text;
    std::vector<std::string> lines;
    for (int i = 0; i < 4000; ++i) {
      lines.push_back(std::string(random.below(random.chance(0.01) ? piece_bytes : 400), 'l'));
      text += lines.back() + "\n";
    }
    if (random.chance(0.5)) {
      lines.emplace_back("the last one");
      text += lines.back();
    }
    exchange::ImportText file("lines", text);
    for (const std::string& line : lines) {
      const auto read = file.next_line();
      QVERIFY(read && *read == line);
    }
    QVERIFY(!file.next_line() && !file.error());
  }

  void streamed_documents_are_what_they_are() {
    base::Random random(testing::random_seed());
    for (int round = 0; round < 300; ++round) {
      json document = {{"a", random_json(random, 4)}, {"list", json::array()}, {"z", random_json(random, 4)}};
      document["deep"] = {{"er", {{"object", json::object()}, {"x", 1}}}};
      for (std::uint64_t i = random.below(round == 0 ? 20'000 : 30); i > 0; --i) {
        document["list"].push_back(random_json(random, 3));
        document["deep"]["er"]["object"][random_text(random, 8)] = random_json(random, 3);
      }
      const std::string text = written(random, document);
      const json expected = json::parse(text);
      QVERIFY(must(exchange::parse_import_json(text)) == expected);
      const Gathered streamed = must(gathered(random.chance(0.5) ? text : gzipped(text), {},
                                              {{"list"}, {"deep", "er", "object"}, {"nothing"}}));
      json whole = streamed.document;
      whole.erase("nothing");
      QVERIFY(whole == expected);
      QVERIFY(must(gathered(text)).document == expected);
    }
  }

  void entries_say_where_they_end() {
    const std::string text = "{\"list\": [1,\n {\"a\":\n2} , \"x\"\n]}";
    const std::vector<exchange::TextPlace> places = must(gathered(text, {}, {{"list"}})).places;
    QCOMPARE(places.size(), std::size_t{3});
    QVERIFY(places[0] == place_of(text, text.find(",\n") + 1));
    QVERIFY(places[1] == place_of(text, text.find('}') + 1));
    QVERIFY(places[2] == place_of(text, text.find("\"x\"") + 3));
  }

  /** The parser's own count of bytes, and lines counted in the plainest way. */
  void errors_say_where_they_are() {
    base::Random random(testing::random_seed());
    const std::string blank(piece_bytes - 50, ' ');
    for (int round = 0; round < 400; ++round) {
      std::string text = written(random, {{"a", random_json(random, 4)}, {"b", random_json(random, 4)}});
      if (round % 20 == 0) text = "\n" + blank + text;
      text[random.below(text.size())] = "}]{[,:x1\"\n"[random.below(10)];
      std::size_t byte = 0;
      try {
        const json good = json::parse(text);
        QVERIFY(good.is_object());
      } catch (const json::parse_error& error) {
        byte = std::min(error.byte, text.size());
      }
      const auto streamed = gathered(text);
      if (byte == 0) continue;
      QVERIFY(!streamed);
      // Twice the same key is an error of ours, which may come first.
      const std::string message = streamed.error().message;
      if (message.contains("twice") || message.contains("UTF-8")) continue;
      // A number ends where the character after it was looked at.
      const std::string before = exchange::to_string(place_of(text, byte - 1)) + ": ";
      const std::string after = exchange::to_string(place_of(text, std::min(byte, text.size() - 1))) + ": ";
      QVERIFY2(message.starts_with(before) || message.starts_with(after), message.c_str());
    }
  }

  void what_is_too_much_is_refused() {
    const exchange::ReadingBudget small{.max_bytes = 1 << 24,
                                        .max_depth = 10,
                                        .max_values = 1000,
                                        .max_memory_bytes = 1 << 20,
                                        .max_token_bytes = 300'000,
                                        .max_key_bytes = 100,
                                        .max_number_bytes = 50};
    const auto error = [&](const std::string& text) { return error_of(gathered(text, small, {{"list"}})); };
    const auto repeated = [](const std::string& text, std::size_t times) {
      std::string all;
      for (std::size_t i = 0; i < times; ++i) all += text;
      return all;
    };
    QVERIFY(refused(error(repeated("[", 11) + repeated("]", 11)), "nested more than 10 deep"));
    QVERIFY(gathered(repeated("[", 10) + repeated("]", 10), small).has_value());
    QVERIFY(refused(error("[" + repeated("[],{},", 1000) + "1]"), "values"));
    QVERIFY(refused(error("[" + repeated("1,", 1000) + "1]"), "values"));
    QVERIFY(refused(error("[" + repeated("\"" + std::string(2000, 't') + "\",", 900) + "1]"), "MiB"));
    QVERIFY(refused(error("{\"" + std::string(101, 'k') + "\": 1}"), "a key has 101"));
    QVERIFY(refused(error("[0." + std::string(60, '1') + "]"), "a number has 62"));
    QVERIFY(refused(error("[" + std::string(2'000'000, ' ') + "1]"), "longer than"));
    QVERIFY(refused(error("[\"" + std::string(2'000'000, 't') + "\"]"), "longer than"));
    QVERIFY(refused(error("[" + std::string(2'000'000, '1') + "]"), "longer than"));
    QVERIFY(refused(error("[" + repeated("1,\n", 1 << 23) + "1]"), "values"));
    QVERIFY(refused(error_of(text_of_bytes(std::string(2001, 'x'), {.max_bytes = 2000})), "larger than"));
    // Entries that are handed over do not count, those within one do.
    QVERIFY(gathered("{\"list\": [" + repeated("[1,2,3],", 100'000) + "1]}", small, {{"other"}})
                .error()
                .message.contains("values"));
    std::size_t entries = 0;
    exchange::ImportText many("many", "{\"list\": [" + repeated("[1,2,3],", 100'000) + "1]}", small);
    const auto read = exchange::stream_import_json(
        many, {{.path = {"list"}, .visit = [&](const space::Json&, exchange::JsonEntry) -> Status {
                  ++entries;
                  return {};
                }}});
    QVERIFY(read && entries == 100'001);
    QVERIFY(refused(error("{\"list\": [[" + repeated("1,", 1000) + "1]]}"), "values"));
    // What a reader keeps of them counts again.
    exchange::ImportText kept("kept", "{\"list\": [" + repeated("[1,2,3],", 100'000) + "1]}", small);
    const auto stopped = exchange::stream_import_json(
        kept,
        {{.path = {"list"}, .visit = [&](const space::Json&, const exchange::JsonEntry& entry) -> Status {
            return kept.keep(entry.held_bytes);
          }}});
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Refused);
    QVERIFY(refused(stopped.error().message, "memory"));
  }

  void files_of_the_readers_keep_to_the_budget() {
    exchange::ReadingBudget small;
    small.max_memory_bytes = 1 << 20;
    const auto error = [&](std::string_view format, const std::string& text) {
      exchange::ImportText file("the file", text, small);
      return error_of(read_as(format, file));
    };
    std::string values = "[";
    std::string entries;
    std::string results;
    std::string series;
    std::string kernels;
    std::string log;
    std::string tasks;
    const auto logged = [](int task) {
      return fmt::format(
          R"({{"input": ["cuda", "t", [{}], {{}}], "config": {{"index": 0, "code_hash": null, )"
          R"("entity": [["a", "ot", 1]]}}, "result": [[0.1], 0, 1, 2], "version": 0.2, "tvm_version": "0.7"}})"
          "\n",
          task);
    };
    for (int i = 0; i < 20'000; ++i) {
      if (i < 9000) {
        values += fmt::format("{},", i);
        entries += fmt::format(R"("{0}": {{"x": {0}, "time": 1}},)", i);
      }
      results += R"({"configuration": {"a": 1}, "times": {}},)";
      series += fmt::format(R"({{"trial": {}, "series": "loss", "value": 1}},)", i);
      kernels += R"({"KernelName": "k", "Configuration": []},)";
      log += logged(1);
      if (i <= 4100) tasks += logged(i);
    }
    const std::string cache =
        R"({"tune_params_keys": ["x"], "tune_params": {"x": )" + values + R"(-1]}, "cache": {)";
    for (const std::string& message :
         {error("t4", R"({"results": [)" + results + "1]}"),
          error("kernelscape", R"({"format": "kernelscape-session", "series": [)" + series + "1]}"),
          error("ktt", R"({"Results": [)" + kernels + "1]}"), error("kernel-tuner", cache + entries + "}}"),
          error("autotvm", log)}) {
      QVERIFY(refused(message, "the file"));
      QVERIFY(refused(message, "MiB of memory"));
    }
    small = exchange::ReadingBudget();
    QVERIFY(refused(error("autotvm", tasks), "more than 4096 tasks"));
  }

  void gzip_of_strange_shapes() {
    std::string members;
    for (int i = 0; i < 20'000; ++i) members += gzipped("");
    QCOMPARE(must(text_of_bytes(members + gzipped("text"))), std::string("text"));
    QVERIFY(refused(error_of(text_of_bytes(gzipped(std::string(50 << 20, 'a')))), "times as much"));
    QVERIFY(refused(error_of(text_of_bytes(gzipped(std::string(50 << 20, '\0')))), "0x00"));
    base::Random random(testing::random_seed());
    const std::string packed = gzipped(json(random_text(random, piece_bytes)).dump());
    for (int round = 0; round < 100; ++round) {
      const std::string cut = packed.substr(0, 2 + random.below(packed.size() - 2));
      QVERIFY(refused(error_of(text_of_bytes(cut)), "gzip"));
      // A parser that meets the end of a cut text says why it ended.
      QVERIFY(refused(error_of(gathered(cut)), "gzip"));
    }
    std::string damaged = gzipped(R"({"a": [1, 2, 3]})");
    damaged[damaged.size() - 6] ^= 1;  // of its checksum
    QVERIFY(refused(error_of(gathered(damaged)), "gzip"));
  }

  void spaces_that_short_texts_could_blow_up() {
    const auto space = [](const std::string& knobs, const std::string& rest = "") {
      return error_of(
          space::space_from_json(fmt::format(R"({{"version": 1, "knobs": [{}]{}}})", knobs, rest)));
    };
    const auto list = [](std::size_t count, const auto& item) {
      std::string all;
      for (std::size_t i = 0; i < count; ++i) all += (i == 0 ? "" : ",") + item(i);
      return all;
    };
    const auto knob = [](const std::string& kind) {
      return [kind](std::size_t i) { return fmt::format(R"({{"name": "k{}", "kind": {}}})", i, kind); };
    };
    // Highly composite, over eight factors: 10^9 ways and more.
    QVERIFY(refused(space(knob(R"("factorization", "product": 963761198400, "parts": 8)")(0)), "limit"));
    QVERIFY(refused(space(knob(R"("factorization", "product": 1099511627776, "parts": 20)")(0)), "limit"));
    const std::string items = list(20, [](std::size_t i) { return fmt::format("\"{}\"", i); });
    QVERIFY(refused(space(knob(fmt::format(R"("permutation", "items": [{}])", items))(0)), "items"));
    // A prime takes milliseconds each.
    QVERIFY(
        refused(space(list(1000, knob(R"("factorization", "product": 1099511627689, "parts": 1)"))), "256"));
    const std::string one = knob(R"("ordinal", "values": [1, 2])")(0);
    const auto rule = [&](const std::string& condition) {
      return space(
          one, fmt::format(R"(, "constraints": {{"variables": [{{"name": "v", "knob": 0}}], "rules": [{}]}})",
                           condition));
    };
    const std::string terms = list(100'000, [](std::size_t) { return std::string(R"({"variable": 0})"); });
    QVERIFY(refused(
        rule(fmt::format(R"({{"kind": "expression", "condition": {{"operator": "add", "operands": [{}]}}}})",
                         terms)),
        "rules"));
    QVERIFY(refused(
        rule(list(100'000,
                  [](std::size_t) { return std::string(R"({"kind": "le", "left": 0, "right": 0})"); })),
        "rules"));
    QVERIFY(refused(
        space(one, ", \"other\": [" + list(5'000'000, [](std::size_t) { return std::string("[]"); }) + "]"),
        "values"));
  }

  void the_defaults_are_ceilings() {
    const exchange::ReadingBudget budget = exchange::ReadingBudget::of_this_machine();
    QVERIFY(budget.max_memory_bytes > 0 &&
            budget.max_memory_bytes <= exchange::ReadingBudget().max_memory_bytes);
    QCOMPARE(budget.max_bytes, exchange::ReadingBudget().max_bytes);
  }
};

KERNELSCAPE_TEST(ExchangeReadingBudgetTest, QCoreApplication)

}  // namespace kernelscape::exchange_reading_budget_test
#include "exchange_reading_budget_test.moc"
