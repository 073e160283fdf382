//! Temporary.
use loyd::heuristic::learned;
use loyd::puzzle::Shape;
fn main() {
    for (r, c) in [
        (5, 5),
        (5, 6),
        (6, 6),
        (6, 8),
        (7, 7),
        (7, 8),
        (8, 8),
        (4, 10),
    ] {
        let s = Shape::new(r, c).unwrap();
        let t = std::time::Instant::now();
        let mut worst = 0.0f64;
        let mut n = 0u64;
        let mut worst_at = 0;
        loop {
            let a = std::time::Instant::now();
            let d = learned::prepare(s, 512);
            let e = a.elapsed().as_secs_f64() * 1e3;
            n += 1;
            if e > worst {
                worst = e;
                worst_at = n;
            }
            if d {
                break;
            }
        }
        println!(
            "{r}x{c}: {:.0} ms, {n} slices, worst {worst:.2} ms at {worst_at}",
            t.elapsed().as_secs_f64() * 1e3
        );
    }
}
