//! The searches that the server chooses by itself.

use std::sync::Arc;

use loyd::search::Stop;
use loyd::search::chain::optimal_solver;
use loyd::search::distance_table::Class;
use loyd::search::tables::Tables;

use crate::driving::run;
use crate::support::problem;

#[test]
fn the_optimal_solver_walks_the_table_when_there_is_one() {
    let tables = Arc::new(Tables::new());
    let hardest = problem(3, 3, &[8, 6, 7, 2, 5, 4, 3, 0, 1]);
    let by_search = run(optimal_solver(hardest.clone(), &tables));
    assert_eq!(by_search.found.last().unwrap().len(), 31);
    assert_eq!(by_search.stop, Stop::Proven);
    tables.build(Class::of(&hardest).unwrap());
    let by_table = run(optimal_solver(hardest, &tables));
    assert_eq!((by_table.length(), by_table.stop), (31, Stop::Proven));
    assert_eq!(by_table.progress.expanded, 31);
}
