//! `load`: many readers at once of one large file, from nginx and from the server, each over a folder and over an S3 server, in
//! turns on one machine, and a table. `cargo xtask load` builds and fetches what it needs.
//!
//! Fast readers ask for ranges of 8 MiB at random places, one after the other on one connection, as the page does; slow
//! ones take 64 KiB a second. The file is sparse: it lies in the system's cache, so disks are not measured. The readers
//! run on the same machine and take their part of the processor.
//!
//! The S3 server is moto, which is Python: it bears few readers of a small file, so it is measured apart. Another one that runs
//! already can take its place.

mod process;
mod readers;
mod target;

use std::{fs, path::PathBuf, time::Duration};

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use readers::{Load, Outcome, RATE};
use target::{Content, Kind, Programs};
use tempfile::TempDir;

/// Time many readers at once: of nginx, of the server, and of the server over an S3 server.
#[derive(Parser)]
struct Options {
    /// Readers that take what they get
    #[arg(long, default_value_t = 1000)]
    readers: usize,
    /// Readers that take 64 KiB a second
    #[arg(long, default_value_t = 500)]
    slow: usize,
    /// Bytes of the file
    #[arg(long, default_value_t = 3 << 30)]
    size: u64,
    /// Seconds of each measurement
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// How often the turns are taken
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// What takes turns
    #[arg(long, value_delimiter = ',', default_values_t = [Kind::Nginx, Kind::Folder], value_enum)]
    targets: Vec<Kind>,
    #[command(flatten)]
    programs: Programs,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let content = Content::new(&options.programs, options.size)?;
    let load =
        Load { readers: options.readers, slow: options.slow, duration: Duration::from_secs(options.seconds) };
    println!(
        "{} readers and {} slow ones of {:.1} GB (sparse), {} s each, {} processors",
        options.readers,
        options.slow,
        options.size as f64 / 1e9,
        options.seconds,
        std::thread::available_parallelism()?
    );
    println!(
        "{:<12} {:>8} {:>9} {:>22} {:>12} {:>9} {:>7} {:>9}",
        "", "MB/s", "CPU s/GB", "reader MB min/mean/max", "slow KiB/s", "first ms", "files", "RSS MB"
    );
    let runtime = tokio::runtime::Runtime::new()?;
    let mut totals = vec![Vec::new(); options.targets.len()];
    for _ in 0..options.rounds {
        for (kind, total) in options.targets.iter().zip(&mut totals) {
            let target = content.start(*kind)?;
            let watch = process::Watch::new(target.watched());
            let outcome = runtime.block_on(readers::run(load, target.place(), options.size))?;
            let used = watch.end();
            print(*kind, &outcome, &used);
            total.push(outcome.throughput());
        }
    }
    println!("\n{:<12} {:>12} {:>9}", "", "median MB/s", "to first");
    let medians: Vec<f64> = totals.iter_mut().map(|total| median(total)).collect();
    for (kind, rate) in options.targets.iter().zip(&medians) {
        println!("{:<12} {rate:>12.0} {:>9.2}", kind.to_string(), rate / medians[0]);
    }
    Ok(())
}

fn print(kind: Kind, outcome: &Outcome, used: &process::Used) {
    let mb = |bytes: u64| bytes as f64 / 1e6;
    let [least, mean, most] = outcome.fast();
    println!(
        "{:<12} {:>8.0} {:>9.2} {:>22} {:>12} {:>9} {:>7} {:>9.0}",
        kind.to_string(),
        outcome.throughput(),
        used.cpu.as_secs_f64() / (outcome.bytes() as f64 / 1e9),
        format!("{:.0}/{:.0}/{:.0}", mb(least), mb(mean), mb(most)),
        format!("{:.0} of {}", outcome.slowest_slow() / 1024.0, RATE / 1024),
        outcome.latest_first_byte().as_millis(),
        used.files,
        mb(used.memory),
    );
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// A file of `size` bytes with the header of the demo model, of which hardly any are on the disk.
fn model(demo: &PathBuf, folder: &TempDir, size: u64) -> Result<()> {
    let path = folder.path().join("model.gguf");
    let header = fs::metadata(demo).with_context(|| format!("there is no {}", demo.display()))?.len();
    if header > size {
        bail!("--size must be at least {header}");
    }
    fs::copy(demo, &path)?;
    fs::File::options().write(true).open(&path)?.set_len(size)?;
    // Into the system's cache, or whoever comes first would wait for it.
    std::io::copy(&mut fs::File::open(&path)?, &mut std::io::sink())?;
    Ok(())
}
