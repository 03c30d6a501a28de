#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/store/sqlite.h"

namespace kernelscape {

/**
 * What a stranger's schema could have computed here is refused, or left out: see migrate(). Notes in
 * `database` whether all of its schema is ours.
 * @param migrations those of schema.h
 */
Status check_schema(sqlite::Database& database, std::span<const std::string_view> migrations);

}  // namespace kernelscape
