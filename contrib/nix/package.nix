# A Nix package of pixelmap: nix-build -E '(import <nixpkgs> { }).callPackage ./contrib/nix/package.nix { }'
# nixpkgs must have the Rust version of Cargo.toml, or a newer one.
{ lib, rustPlatform, fetchurl, installShellFiles }:
let
  root = ../..;
  cargo = (lib.importTOML (root + "/Cargo.toml")).package;
  # The hashes of scripts and styles are also in src/page/library.rs.
  leaflet = file: hash: fetchurl { url = "https://unpkg.com/leaflet@1.9.4/${file}"; inherit hash; };
  maplibre = file: hash: fetchurl { url = "https://unpkg.com/maplibre-gl@5.24.1/${file}"; inherit hash; };
  script = leaflet "dist/leaflet.js"
    "sha512-BwHfrr4c9kmRkLw6iXFdzcdWV/PGkVgiIyIWLLlTSXzWQzxuSg4DiQUCpauz/EWjgk5TYQqX/kvn9pG1NpYfqg==";
  style = leaflet "dist/leaflet.css"
    "sha512-Zcn6bjR/8RZbLEpLIeOwNtzREBAJnUKESxces60Mpoj+2okopSAcSUIUOseddDm0cxnGQzxIR7vJgsLZbdLE3w==";
  licence = leaflet "LICENSE"
    "sha512-G3N/mOg+bPJcU0CVvrABZQ91nP8TuJt2H2rMC25Ek0ytQss50qHZRE3Rxe+0acZj7H4QXCPRtepcYwd9cN8PDQ==";
  hillsScript = maplibre "dist/maplibre-gl.js"
    "sha512-2CQ15eKGQFXMbdYigOqtulNip19/AwroCJMW00f6BaZlF1QiQyKsubw/TVPKzz0FdqU9V7ryADY6W2NYF2Fg9Q==";
  hillsStyle = maplibre "dist/maplibre-gl.css"
    "sha512-KIMsMWIdnoG9OwZa+oaIafmbDonqck1UCmq+/zcUi2aaZ97N9QE6TqpTM+n36EO40HGh64hU/375zxtjx7WTyQ==";
  hillsLicence = maplibre "LICENSE.txt"
    "sha512-OkO/ffc7ZoVjnXbcCCQkLT+KYnvimHEyUB+MZm+Pm57Qx6LVK8etuyaBA2slGRs3AK+5FOAiRL1PJi32RKPlnw==";
in
rustPlatform.buildRustPackage {
  pname = cargo.name;
  inherit (cargo) version;
  src = lib.fileset.toSource {
    inherit root;
    fileset = lib.fileset.unions [
      (root + "/src") (root + "/build.rs") (root + "/benches") (root + "/Cargo.toml") (root + "/Cargo.lock")
    ];
  };
  cargoLock.lockFile = root + "/Cargo.lock";
  nativeBuildInputs = [ installShellFiles ];
  buildType = "dist";
  PIXELMAP_RELEASE = "1";
  preBuild = ''
    mkdir -p src/page/libraries
    cp ${script} src/page/libraries/leaflet.js
    cp ${style} src/page/libraries/leaflet.css
    cp ${licence} src/page/libraries/leaflet.LICENSE.txt
    cp ${hillsScript} src/page/libraries/maplibre-gl.js
    cp ${hillsStyle} src/page/libraries/maplibre-gl.css
    cp ${hillsLicence} src/page/libraries/maplibre-gl.LICENSE.txt
  '';
  # The tests need the fixtures, Chromium and several minutes, so only .ci/run runs them.
  doCheck = false;
  postInstall = ''
    installShellCompletion --cmd pixelmap --bash <($out/bin/pixelmap completions bash) \
      --zsh <($out/bin/pixelmap completions zsh) --fish <($out/bin/pixelmap completions fish)
    $out/bin/pixelmap man > pixelmap.1
    installManPage pixelmap.1
  '';
  meta = {
    inherit (cargo) description;
    license = with lib.licenses; [ mit asl20 ];
    mainProgram = "pixelmap";
  };
}
