// Reads and checks the tables that a study file describes.
#pragma once

#include <string>
#include <vector>

#include "study/own_table.hpp"
#include "study/plan.hpp"

namespace livens {

// Words that stand for a text of the case instead of a number: case, method, step, problem, status, reason, window.
const std::vector<std::string>& own_texts();

// Throws nothing; faults stand where the study has them.
std::vector<OwnTable> read_own_tables(const Study& study, std::vector<SceneFault>& faults);

// Finds names that nothing stands for, and faults of expressions. Builds a model for every scene of the study.
void check_own_tables(const StudyPlan& plan, std::vector<SceneFault>& faults);

// Names that expressions contain, without functions and constants.
std::vector<std::string> variables_in(const std::vector<OwnColumn>& columns);

// The built-in table that a name like order_order_q is about, and its column; "" if there is none.
std::pair<std::string, std::string> built_in_of(const std::string& name);
std::vector<std::string> built_in_tables_of(const std::vector<OwnTable>& tables);

// Numbers that are known of a case besides what is measured: parameters, and swept numbers by the last word of their
// keys.
Variables given_numbers(const Case& made);

}  // namespace livens
