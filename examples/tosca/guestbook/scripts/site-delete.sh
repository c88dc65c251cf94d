rm -rf "$folder" "$folder.log"
