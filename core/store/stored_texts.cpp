#include "core/store/stored_texts.h"

#include <bit>

#include "core/base/random.h"

namespace kernelscape::store {
namespace {

/** Stores a message once and returns its id. Texts with equal hashes are compared. */
Result<std::int64_t> store_message(sqlite::Database& database, std::string_view text) {
  const auto hash = std::bit_cast<std::int64_t>(base::stable_hash(text));
  sqlite::Query find = database.query("SELECT id FROM message WHERE hash = ? AND text = ?");
  find.bind(hash).bind(text);
  if (find.next()) return find.integer(0);
  TRY(find.status());
  TRY(database.query("INSERT INTO message (hash, text) VALUES (?, ?)").bind(hash).bind(text).run());
  return database.last_insert_id();
}

}  // namespace

Result<std::int64_t> StoredTexts::id_of(std::string_view text) {
  if (text.empty()) return 0;
  const auto [known, is_new] = ids_.try_emplace(text, 0);
  if (!is_new) return known->second;
  const Result<std::int64_t> stored = store_message(database_, text);
  if (stored) known->second = *stored;
  return stored;
}

}  // namespace kernelscape::store
