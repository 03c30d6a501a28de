#include <QtTest>
#include <cmath>

#include "core/space/search_space.h"
#include "core/space/table_allowance.h"
#include "tests/space/random_systems.h"
#include "tests/test_program.h"

namespace kernelscape::space_json_test {
using namespace kernelscape::testing;

namespace {

bool same(const space::SearchSpace& a, const space::SearchSpace& b) {
  const auto* members_a = a.explicit_members();
  const auto* members_b = b.explicit_members();
  if ((members_a == nullptr) != (members_b == nullptr)) return false;
  if (members_a && *members_a != *members_b) return false;
  return a.knobs() == b.knobs() && a.constraints() == b.constraints() && a.fingerprint() == b.fingerprint();
}

std::string nested(const std::string& open, const std::string& middle, const std::string& close, int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += middle;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

/** One knob of 8 = 2 factors, and these variables and rules. */
std::string with_rules(const std::string& variables, const std::string& rules) {
  return R"({"version":1,"knobs":[{"name":"t","kind":"factorization","product":8,"parts":2}],"constraints":{"variables":)" +
         variables + R"(,"rules":)" + rules + "}}";
}

std::string with_knob(const std::string& knob) { return R"({"version":1,"knobs":[)" + knob + "]}"; }

}  // namespace

class SpaceJsonTest : public QObject {
  Q_OBJECT

 private slots:
  void constrained_spaces_come_back() {
    const std::uint64_t seed = 555;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int i = 0; i < 200; ++i) {
      RandomSystem drawn = random_system(random);
      for (space::Knob& knob : drawn.knobs)
        if (knob.count() > 2 && random.chance(0.3)) knob = *knob.restricted({0, knob.count() - 1});
      const space::SearchSpace space = *space::SearchSpace::make(drawn.knobs, drawn.system);
      const auto again = space::space_from_json(space::space_to_json(space));
      if (!again) QFAIL(again.error().message.c_str());
      QVERIFY(same(*again, space));
      QVERIFY(*space::constraints_from_json(space::constraints_to_json(drawn.system)) == drawn.system);
    }
  }

  void listed_members_come_back() {
    const space::SearchSpace space = *space::SearchSpace::make_explicit(
        {*space::Knob::factorization("tile", 64, 3), *space::Knob::permutation("order", {"a", "b"})},
        {{{3, 1}}, {{27, 0}}, {{0, 0}}});
    QVERIFY(same(*space::space_from_json(space::space_to_json(space)), space));
  }

  void values_come_back_bit_by_bit() {
    const std::vector<space::KnobValue> values{space::KnobValue(0.1),
                                               space::KnobValue(4.0),
                                               space::KnobValue(std::int64_t{4}),
                                               space::KnobValue(true),
                                               space::KnobValue("true"),
                                               space::KnobValue(-0.0),
                                               space::KnobValue(std::nextafter(0.1, 1.0)),
                                               space::KnobValue(5e-324),
                                               space::KnobValue(1.7976931348623157e308),
                                               space::KnobValue(std::numeric_limits<std::int64_t>::min()),
                                               space::KnobValue(std::numeric_limits<std::int64_t>::max()),
                                               space::KnobValue("ü \" \\ \n \t { \x01"),
                                               space::KnobValue("")};
    const space::SearchSpace space =
        *space::SearchSpace::make({*space::Knob::categorical("größe \"1\"", values)});
    const space::SearchSpace again = *space::space_from_json(space::space_to_json(space));
    QVERIFY(same(again, space));
    QVERIFY(std::signbit(std::get<double>(again.knobs()[0].value(5))));
    for (std::uint32_t i = 0; i < values.size(); ++i)
      QCOMPARE(again.knobs()[0].value(i).index(), values[i].index());
  }

  void hostile_text_is_an_error_data() {
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const std::string& text) {
      QTest::newRow(name) << QByteArray(text.data(), static_cast<qsizetype>(text.size()));
    };
    row("nothing", "");
    row("no JSON", "{\"version\":");
    row("another type", "[]");
    row("null", "null");
    row("no version", R"({"knobs":[]})");
    row("newer version", R"({"version":2,"knobs":[{"name":"k","kind":"ordinal","values":[1]}]})");
    row("no knob", R"({"version":1,"knobs":[]})");
    row("knob no object", with_knob("7"));
    row("no name", with_knob(R"({"kind":"ordinal","values":[1]})"));
    row("name no text", with_knob(R"({"name":3,"kind":"ordinal","values":[1]})"));
    row("unknown kind", with_knob(R"({"name":"k","kind":"magic","values":[1]})"));
    row("no values", with_knob(R"({"name":"k","kind":"ordinal"})"));
    row("value null", with_knob(R"({"name":"k","kind":"categorical","values":[null]})"));
    row("value too large", with_knob(R"({"name":"k","kind":"categorical","values":[9223372036854775808]})"));
    row("value infinite", with_knob(R"({"name":"k","kind":"categorical","values":[1e999]})"));
    row("product real", with_knob(R"({"name":"k","kind":"factorization","product":8.0,"parts":2})"));
    row("product negative", with_knob(R"({"name":"k","kind":"factorization","product":-8,"parts":2})"));
    row("product huge prime",
        with_knob(R"({"name":"k","kind":"factorization","product":9223372036854775783,"parts":2})"));
    row("parts huge", with_knob(R"({"name":"k","kind":"factorization","product":8,"parts":4294967298})"));
    row("too many tuples",
        with_knob(R"({"name":"k","kind":"factorization","product":1099511627776,"parts":16})"));
    row("too many items",
        with_knob(
            R"({"name":"k","kind":"permutation","items":["a","b","c","d","e","f","g","h","i","j","k"]})"));
    row("kept none", with_knob(R"({"name":"k","kind":"factorization","product":8,"parts":2,"kept":[]})"));
    row("kept wrong",
        with_knob(R"({"name":"k","kind":"factorization","product":8,"parts":2,"kept":[[3,3]]})"));
    row("kept no list", with_knob(R"({"name":"k","kind":"factorization","product":8,"parts":2,"kept":[8]})"));
    row("member too short",
        R"({"version":1,"knobs":[{"name":"k","kind":"ordinal","values":[1]}],"members":[[]]})");
    row("member negative",
        R"({"version":1,"knobs":[{"name":"k","kind":"ordinal","values":[1]}],"members":[[-1]]})");
    row("member beyond",
        R"({"version":1,"knobs":[{"name":"k","kind":"ordinal","values":[1]}],"members":[[1]]})");
    row("member wraps",
        R"({"version":1,"knobs":[{"name":"k","kind":"ordinal","values":[1]}],"members":[[4294967296]]})");
    row("no members", R"({"version":1,"knobs":[{"name":"k","kind":"ordinal","values":[1]}],"members":[]})");
    row("both",
        R"({"version":1,"knobs":[{"name":"k","kind":"ordinal","values":[1]}],"members":[[0]],"constraints":{}})");
    const std::string variable = R"([{"name":"a","knob":0,"position":1}])";
    row("constraints null",
        R"({"version":1,"knobs":[{"name":"k","kind":"ordinal","values":[1]}],"constraints":null})");
    row("no such knob", with_rules(R"([{"name":"a","knob":1,"position":0}])", "[]"));
    row("no such element", with_rules(R"([{"name":"a","knob":0,"position":2}])", "[]"));
    row("negative element", with_rules(R"([{"name":"a","knob":0,"position":-1}])", "[]"));
    row("no such variable", with_rules(variable, R"([{"kind":"le","left":0,"right":1}])"));
    row("negative variable", with_rules(variable, R"([{"kind":"le","left":0,"right":-1}])"));
    row("undefined variable", with_rules(R"([{"name":"a"}])", R"([{"kind":"le","left":0,"right":0}])"));
    row("unknown rule", with_rules(variable, R"([{"kind":"ge","left":0,"right":0}])"));
    row("values no numbers", with_rules(variable, R"([{"kind":"in","variable":0,"values":["1"]}])"));
    row("reason no text", with_rules(variable, R"([{"kind":"in","variable":0,"values":[1],"reason":1}])"));
    row("unknown operator",
        with_rules(variable, R"([{"kind":"expression","condition":{"operator":"xor","operands":[]}}])"));
    row("leaf as operator",
        with_rules(variable, R"([{"kind":"expression","condition":{"operator":"variable","operands":[]}}])"));
    row("too few operands",
        with_rules(variable,
                   R"([{"kind":"expression","condition":{"operator":"less","operands":[{"constant":1}]}}])"));
    row("no operands",
        with_rules(variable, R"([{"kind":"expression","condition":{"operator":"maximum","operands":[]}}])"));
    row("deep expression",
        with_rules(variable, R"([{"kind":"expression","condition":)" +
                                 nested(R"({"operator":"not","operands":[)", R"({"constant":1})", "]}", 300) +
                                 "}]"));
    row("deeper than a stack",
        with_rules(variable, R"([{"kind":"expression","condition":)" + nested("[", "", "]", 500'000) + "}]"));
    row("deep version", R"({"version":)" + nested("[", "", "]", 500'000) + R"(,"knobs":[]})");
    row("not UTF-8", with_knob("{\"name\":\"\xff\",\"kind\":\"ordinal\",\"values\":[1]}"));
  }

  void hostile_text_is_an_error() {
    QFETCH(QByteArray, text);
    const auto space =
        space::space_from_json(std::string_view(text.data(), static_cast<std::size_t>(text.size())));
    QVERIFY(!space);
    QVERIFY(!space.error().message.empty());
  }

  /** What is kept of a table was taken from all of it. */
  void whole_tables_count() {
    const std::string knob =
        R"({"name":"%","kind":"factorization","product":120,"parts":6,"kept":[[120,1,1,1,1,1]]})";
    const auto read = [&](int knobs) {
      std::string list;
      for (int i = 0; i < knobs; ++i)
        list += (i == 0 ? "" : ",") + std::string(knob).replace(knob.find('%'), 1, std::to_string(i));
      return space::space_from_json(with_knob(list));
    };
    const std::uint64_t whole = space::Knob::factorization("k", 120, 6)->count() * 6U;
    const space::TableAllowance allowance(10 * whole);
    const auto ten = read(10);
    QVERIFY2(ten, ten ? "" : ten.error().message.c_str());
    QVERIFY(ten->size() == 1);
    QCOMPARE(allowance.taken(), 10 * whole);
    const auto more = read(1);
    QVERIFY(!more);
    QVERIFY2(more.error().message.find("too many values") != std::string::npos, more.error().message.c_str());
  }

  void damaged_text_never_breaks_anything() {
    const std::uint64_t seed = 8086;
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    int readable = 0;
    for (int i = 0; i < 1500; ++i) {
      const RandomSystem drawn = random_system(random);
      std::string text = space::space_to_json(*space::SearchSpace::make(drawn.knobs, drawn.system));
      const std::uint64_t damages = 1 + random.below(3);
      for (std::uint64_t j = 0; j < damages; ++j) {
        const std::size_t at = random.below(text.size());
        if (random.chance(0.3))
          text.erase(at, 1 + random.below(20));
        else if (random.chance(0.5))
          text[at] = static_cast<char>('0' + random.below(10));
        else
          text.insert(at, text.substr(random.below(text.size()), random.below(40)));
      }
      const auto space = space::space_from_json(text);
      if (!space) continue;
      ++readable;
      QVERIFY(same(*space::space_from_json(space::space_to_json(*space)), *space));
      if (const auto member = space->random_member(random)) QVERIFY(space->contains(*member));
    }
    QVERIFY(readable > 30);
  }
};

KERNELSCAPE_PLAIN_TEST(SpaceJsonTest)

}  // namespace kernelscape::space_json_test
#include "space_json_test.moc"
