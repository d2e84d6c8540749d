# A Nix package of pixelmap: nix-build -E '(import <nixpkgs> { }).callPackage ./contrib/nix/package.nix { }'
# nixpkgs must have the Rust version of Cargo.toml, or a newer one.
{ lib, rustPlatform, installShellFiles }:
let
  root = ../..;
  manifest = lib.importTOML (root + "/Cargo.toml");
in
rustPlatform.buildRustPackage {
  pname = manifest.package.name;
  inherit (manifest.workspace.package) version;
  src = lib.fileset.toSource {
    inherit root;
    fileset = lib.fileset.unions [
      (root + "/src") (root + "/crates") (root + "/benches") (root + "/tests") (root + "/Cargo.toml") (root + "/Cargo.lock")
    ];
  };
  cargoLock.lockFile = root + "/Cargo.lock";
  nativeBuildInputs = [ installShellFiles ];
  buildType = "dist";
  # The tests need the fixtures, Chromium and several minutes, so only .ci/run runs them.
  doCheck = false;
  postInstall = ''
    installShellCompletion --cmd pixelmap --bash <($out/bin/pixelmap completions bash) \
      --zsh <($out/bin/pixelmap completions zsh) --fish <($out/bin/pixelmap completions fish)
    $out/bin/pixelmap man > pixelmap.1
    installManPage pixelmap.1
  '';
  meta = {
    inherit (manifest.package) description;
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "pixelmap";
  };
}
