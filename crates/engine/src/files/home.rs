//! Where the files of a user are.

use std::env;
use std::path::PathBuf;

/// The folder of the user's files: best scores, the unfinished game, tables. `None` if there is no
/// home folder.
pub fn user_folder() -> Option<PathBuf> {
    user_folder_with(&variable)
}

/// The folder of the user's tables of exact values.
pub fn table_folder() -> Option<PathBuf> {
    user_folder().map(|folder| folder.join("tables"))
}

/// The folder of decoded networks, in the folder of files that can be made again at any time.
/// `LAB2048_CACHE` names the latter; `None` if that is the word `none`, or if there is no home
/// folder.
pub fn network_cache_folder() -> Option<PathBuf> {
    // A folder of its own: the cache folder may be shared with other programs.
    cache_folder_with(&variable).map(|folder| folder.join("networks"))
}

/// An environment variable that is not empty.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn user_folder_with(named: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(home) = named("LAB2048_HOME") {
        return Some(home);
    }
    // The XDG Base Directory Specification says to ignore relative paths.
    let data = named("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let data =
        data.or_else(|| named("HOME").map(|home| home.join(".local/share"))).or_else(|| named("APPDATA"));
    data.map(|data| data.join("lab2048"))
}

fn cache_folder_with(named: &dyn Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    if let Some(folder) = named("LAB2048_CACHE") {
        return Some(folder).filter(|folder| folder.as_os_str() != "none");
    }
    if let Some(home) = named("LAB2048_HOME") {
        return Some(home.join("cache"));
    }
    let cache = named("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let cache =
        cache.or_else(|| named("HOME").map(|home| home.join(".cache"))).or_else(|| named("LOCALAPPDATA"));
    cache.map(|cache| cache.join("lab2048"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(variables: &[(&str, &str)]) -> Option<String> {
        let named = |name: &str| {
            let found = variables.iter().find(|(own, _)| *own == name);
            found.map(|(_, value)| PathBuf::from(value))
        };
        cache_folder_with(&named).map(|path| path.to_str().unwrap().replace('\\', "/"))
    }

    #[test]
    fn the_cache_folder_follows_the_variables() {
        let home = ("HOME", "/home/ada");
        let is = |path: &str| Some(path.to_owned());
        assert_eq!(cache(&[]), None);
        assert_eq!(cache(&[home]), is("/home/ada/.cache/lab2048"));
        assert_eq!(cache(&[home, ("XDG_CACHE_HOME", "/fast")]), is("/fast/lab2048"));
        assert_eq!(cache(&[home, ("XDG_CACHE_HOME", "fast")]), is("/home/ada/.cache/lab2048"));
        assert_eq!(cache(&[home, ("LAB2048_HOME", "games")]), is("games/cache"));
        assert_eq!(cache(&[home, ("LAB2048_HOME", "games"), ("LAB2048_CACHE", "here")]), is("here"));
        assert_eq!(cache(&[home, ("LAB2048_CACHE", "none")]), None);
    }
}
