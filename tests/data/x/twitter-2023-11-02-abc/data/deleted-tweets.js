window.YTD.deleted_tweets.part0 = [
  {
    "tweet": {
      "retweeted": false,
      "source": "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
      "entities": {
        "hashtags": [],
        "symbols": [],
        "user_mentions": [],
        "urls": []
      },
      "display_text_range": [
        "0",
        "10"
      ],
      "favorite_count": "3",
      "id_str": "9",
      "truncated": false,
      "retweet_count": "0",
      "id": "9",
      "created_at": "Wed Oct 10 20:19:24 +0000 2018",
      "favorited": false,
      "full_text": "gone",
      "lang": "en"
    }
  }
]
