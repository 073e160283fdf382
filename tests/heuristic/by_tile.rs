use loyd::heuristic::learned::ByTile;
use loyd::puzzle::Dice;

#[test]
fn slides_are_grouped_by_tile_and_keep_their_order() {
    let Some(mut by_tile) = ByTile::available() else {
        // The processor has no instructions for it, and nothing is grouped.
        return;
    };
    let mut dice = Dice::new(1);
    for count in 0..=ByTile::MOST {
        for kinds in [1, 3, 127] {
            let tiles: Vec<u16> = (0..count).map(|_| 1 + dice.below(kinds) as u16).collect();
            by_tile.group(tiles.iter().copied());
            let mut places = 0;
            let mut tiles_seen = Vec::new();
            for (tile, slides) in by_tile.runs() {
                let all = (0..count as u16)
                    .filter(|&slide| usize::from(tiles[usize::from(slide)]) == tile);
                assert!(all.eq(slides.iter().copied()));
                assert!(!tiles_seen.contains(&tile));
                tiles_seen.push(tile);
                places += slides.len();
            }
            assert_eq!(places, count);
        }
    }
}
