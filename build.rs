//! Compiles the wire contract in Rust alone, without protoc.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    #[cfg(feature = "service")]
    compile_protos()?;
    Ok(())
}

#[cfg(feature = "service")]
fn compile_protos() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=proto");
    let mut compiler = protox::Compiler::new(["proto"])?;
    compiler
        .include_imports(true)
        .include_source_info(true)
        .open_file("loyd/v1/puzzle.proto")?;

    // Reflection serves the same descriptors from which the code is generated.
    let out = std::path::PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(
        out.join("loyd.descriptors.bin"),
        compiler.encode_file_descriptor_set(),
    )?;
    tonic_prost_build::configure().compile_fds(compiler.file_descriptor_set())?;
    Ok(())
}
