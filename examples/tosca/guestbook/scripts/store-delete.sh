rm -rf "$folder"
