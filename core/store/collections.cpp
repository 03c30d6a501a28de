#include "core/store/collections.h"

#include <fmt/format.h>

#include "core/store/connection.h"
#include "core/store/stored_values.h"
#include "core/store/studies.h"

namespace kernelscape::store {
namespace {

constexpr int collection_count_columns = 3;
constexpr int collection_annotation_columns = 5;

/** Selects collections, newest first. */
constexpr std::string_view select_collections = R"sql(
  SELECT study.id, study.name, study.created_utc, coalesce(sessions, 0), coalesce(trials, 0), study.tags,
    study.note, study.trashed
  FROM study LEFT JOIN (
    SELECT study_run.study AS counted, count(*) AS sessions, sum(trial_count) AS trials
    FROM study_run JOIN session ON session.id = study_run.session JOIN status ON status.session = session.id
    WHERE session.trashed = 0 AND study_run.study IN
      (SELECT id FROM study WHERE study_json GLOB '{"purpose":"collection",*')
    GROUP BY study_run.study
  ) ON counted = study.id
  WHERE study.trashed = 0 AND study_json GLOB '{"purpose":"collection",*' ORDER BY study.id DESC)sql";

constexpr NamedTable collection_names{
    .one = "collection",
    .many = "collections",
    .count_of_id =
        "SELECT 1 FROM study WHERE id = ? AND trashed = 0 "
        "AND study_json GLOB '{\"purpose\":\"collection\",*'",
    .select_names =
        "SELECT id, name, created_utc FROM study WHERE trashed = 0 "
        "AND study_json GLOB '{\"purpose\":\"collection\",*' ORDER BY id DESC",
    .empty_hint =
        "it has no collections yet; `kernelscape import FILE` creates one from a file with several tasks",
    .list_command = "kernelscape sessions"};

}  // namespace

Result<StudyId> Collections::create(const StudyRecord& record, const std::string& about) {
  if (record.name.find_first_not_of(" \t\n") == std::string::npos)
    return fail(ErrorCode::InvalidArgument, "a collection has no name", "give it a name");
  StudyRecord collection = record;
  collection.study_json = collection_to_json(record.name, about);
  return Studies(*connection_).create(collection);
}

Result<std::vector<CollectionSummary>> Collections::all() const {
  std::vector<CollectionSummary> all;
  sqlite::Query query = connection_->database.query(select_collections);
  sqlite::HeldContent held(connection_->database);
  while (query.next()) {
    if (!held.take(query.content_bytes()))
      return std::unexpected(connection_->damaged(fmt::format("collections: {}", shares_content)));
    all.push_back({.id = query.integer(0),
                   .name = query.text(1),
                   .created_utc = query.text(2),
                   .sessions = query.integer(collection_count_columns),
                   .trials = query.integer(collection_count_columns + 1),
                   .annotation = annotation_from_row(query, collection_annotation_columns)});
  }
  return Connection::finish(query, std::move(all));
}

Result<StudyId> Collections::find(std::string_view id_or_name) const {
  return find_by_id_or_name(connection_->database, collection_names, id_or_name);
}

}  // namespace kernelscape::store
