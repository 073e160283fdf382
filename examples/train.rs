//! Temporary.
#![allow(clippy::all, missing_docs)]
use loyd::heuristic::learned::*;
use loyd::puzzle::Shape;
use loyd::training::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let get = |n: &str, d: &str| -> String {
        a.iter()
            .position(|x| x == n)
            .map(|i| a[i + 1].clone())
            .unwrap_or(d.into())
    };
    let (r, c) = get("--shape", "5x5")
        .split_once('x')
        .map(|(r, c)| (r.parse().unwrap(), c.parse().unwrap()))
        .unwrap();
    let shape = Shape::new(r, c).unwrap();
    let from = get("--from", "");
    let mut w = if from.is_empty() {
        Weights::manhattan(shape)
    } else {
        Weights::from_bytes(&std::fs::read(from).unwrap()).unwrap()
    };
    for l in get("--lift", "").chars() {
        w = w
            .lifted(match l {
                'R' => Line::MoreRows,
                'C' => Line::MoreColumns,
                'r' => Line::FewerRows,
                _ => Line::FewerColumns,
            })
            .unwrap();
    }
    let out = get("--out", "/tmp/out.loyd");
    if get("--generations", "3") == "0" {
        std::fs::write(out, w.to_bytes()).unwrap();
        return;
    }
    let course = Course {
        from: w,
        seed: get("--seed", "1").parse().unwrap(),
        threads: get("--threads", "2").parse().unwrap(),
        generations: get("--generations", "3").parse().unwrap(),
        solves: get("--solves", "2000").parse().unwrap(),
        width: get("--width", "300").parse().unwrap(),
        epochs: get("--epochs", "3").parse().unwrap(),
        trials: get("--trials", "100").parse().unwrap(),
        trial_width: get("--trial-width", "300").parse().unwrap(),
    };
    let t = std::time::Instant::now();
    let best = train(&course, &mut |r| {
        if let Report::Solving { tried, of, .. } = r {
            if tried < of && tried % 2048 != 0 {
                return;
            }
        }
        println!("{:6.1} {r:?}", t.elapsed().as_secs_f64())
    });
    std::fs::write(out, best.to_bytes()).unwrap();
}
